package caddymodule

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/caddyserver/caddy/v2"
	"go.uber.org/zap"

	"github.com/fielato/fielato/internal/panics"
)

func init() { caddy.RegisterModule(new(App)) }

// App opens the stores and ledgers that a configuration names when that
// configuration starts, and lets go of them when it was replaced. It keeps the clock
// that the handlers of the configuration share. It needs no configuration of its
// own: it comes to life with the first handler that needs it.
type App struct {
	leases []interface {
		start() error
		close()
	}
	// gateways are those of the configuration, trails theirs; two may share one.
	gateways []*Gateway
	trails   []*lease[*trail]
	// logReads says of each trail, by the key of its store, whether reads are written
	// down; leaseOf has one of its leases.
	logReads map[string]bool
	leaseOf  map[string]*lease[*trail]
	// failsClosed tells that one of them refuses what it cannot record.
	failsClosed bool
	// keepers keep checkpoints of these elsewhere, while the configuration runs.
	keepers []*keeper
	// backends are the built-in services of the configuration.
	backends []*Backend
	// said is the clock that one of them names, nil where none does.
	said   *clockSetting
	clock  clock
	logger *zap.Logger
}

// running are the apps of the configurations that have started and were not cleaned
// up, the newest last: two while one configuration replaces the other.
var running struct {
	sync.Mutex
	apps []*App
}

// CaddyModule returns the Caddy module information.
func (*App) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "wsfev1", New: func() caddy.Module { return new(App) }}
}

// Provision implements caddy.Provisioner.
func (a *App) Provision(ctx caddy.Context) error {
	a.logger = ctx.Logger()
	panics.Observe(observePanic)
	return nil
}

// Start opens what the handlers asked for while they were provisioned. The clock
// comes first: whoever has entered a lease may read it.
func (a *App) Start() error {
	a.run()
	for _, l := range a.leases {
		if err := l.start(); err != nil {
			return err
		}
	}
	for _, k := range a.keepers {
		k.start()
	}
	return a.applyLogReads()
}

// run makes this the newest configuration and sets its clock. One that was moved
// while the configuration before ran stays so where both name the same clock: a
// reload that is about something else must not throw a test back in time.
func (a *App) run() {
	running.Lock()
	defer running.Unlock()
	setting := a.named()
	if n := len(running.apps); n > 0 && len(a.backends) > 0 {
		if before := running.apps[n-1]; len(before.backends) > 0 && before.named().same(setting) {
			setting = before.clock.setting()
		}
	}
	a.clock.move(setting)
	running.apps = append(running.apps, a)
	if setting.simulated() {
		a.logger.Warn("the clock of the built-in service is simulated: rules, tickets and answers go by it, records and durations do not",
			zap.String("mode", setting.written().Mode), zap.String("shows", setting.at(time.Now()).Format(time.RFC3339)))
	}
}

// named is the clock that the configuration names, the system's where it does not.
func (a *App) named() clockSetting {
	if a.said == nil {
		return clockSetting{}
	}
	return *a.said
}

// nameClock takes the clock of a wsfev1_backend. There is one for all handlers.
func (a *App) nameClock(written *Clock) error {
	if written == nil {
		return nil
	}
	setting, err := written.setting(time.Now())
	if err != nil {
		return err
	}
	if a.said != nil && !a.said.same(setting) {
		return errors.New("clock: another wsfev1_backend of this configuration names another clock: there is one for all handlers")
	}
	a.said = &setting
	return nil
}

// Stop does nothing: requests are still being served. See Cleanup.
func (a *App) Stop() error { return nil }

// Cleanup lets go of what was opened, as soon as the last request has left.
func (a *App) Cleanup() error {
	running.Lock()
	running.apps = slices.DeleteFunc(running.apps, func(other *App) bool { return other == a })
	var newest *App
	if n := len(running.apps); n > 0 {
		newest = running.apps[n-1]
	}
	running.Unlock()
	var keeping sync.WaitGroup
	for _, k := range a.keepers {
		panics.Go(&keeping, taskKeep, k.stop)
	}
	keeping.Wait()
	for _, l := range a.leases {
		l.close()
	}
	if newest != nil {
		// A configuration that failed to start may have set what the one that stays
		// does not say.
		newest.tuneBreakers()
		if err := newest.applyLogReads(); err != nil {
			a.logger.Error("a trail does not know whether reads are written down", zap.Error(err))
		}
	}
	return nil
}

// tuneBreakers sets the numbers of the breakers to those of this configuration.
func (a *App) tuneBreakers() {
	ctx, cancel := context.WithTimeout(context.Background(), appendTimeout)
	defer cancel()
	for _, g := range a.gateways {
		if t, leave, err := g.lease.enter(ctx); err == nil { // without a trail there is no breaker
			g.tune(t)
			leave()
		}
	}
}

// appOf returns the app of a configuration, which comes to life with it.
func appOf(ctx caddy.Context) (*App, error) {
	module, err := ctx.App("wsfev1")
	if err != nil {
		return nil, fmt.Errorf("loading the wsfev1 app: %w", err)
	}
	return module.(*App), nil
}

// lend registers a resource to be opened when the configuration starts.
func lend[T io.Closer](app *App, pool *caddy.UsagePool, key string, open func() (T, error)) *lease[T] {
	l := newLease(pool, key, open)
	app.leases = append(app.leases, l)
	return l
}

// keep registers a keeper to be started with the configuration. Two gateways that share a
// trail share its keepers too.
func (a *App) keep(k *keeper) error {
	for _, other := range a.keepers {
		switch {
		case other.place.id() != k.place.id():
		case other.lease.key == k.lease.key:
			return nil
		case !k.place.shared():
			return fmt.Errorf("checkpoint_to %s: another trail is kept there: give each a place of its own", k.place.address())
		}
	}
	a.keepers = append(a.keepers, k)
	return nil
}

// Interface guards
var (
	_ caddy.App          = (*App)(nil)
	_ caddy.Provisioner  = (*App)(nil)
	_ caddy.CleanerUpper = (*App)(nil)
)
