package app

import (
	"errors"
	"fmt"
	"io"
	"net/netip"
	"sync"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"go.uber.org/zap"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/layout"
	"github.com/fielato/fielato/caddymodule/internal/metrics"
	"github.com/fielato/fielato/caddymodule/internal/stdlog"
	"github.com/fielato/fielato/internal/panics"
)

func init() { caddy.RegisterModule(new(App)) }

// App is the state that the handlers of one configuration share: the resources that they open,
// the tasks that they run and their clock. It needs no configuration of its own: the first
// handler that needs it creates it. It knows none of the handlers.
type App struct {
	// SharePorts: the configuration starts although another process listens on one of its TCP
	// addresses, or on the admin API's. The system gives each process a part of the requests.
	// Default: false, the configuration does not start.
	SharePorts bool `json:"share_ports,omitempty"`

	resources []Resource
	tasks     []Task
	settings  []Setting
	// shared has the values of Shared by key.
	shared map[any]any
	// services are those behind the gateways, as far as the routes show them, and served those behind
	// each trail, by the key of its store.
	services []layout.Service
	served   map[string][]layout.Service
	// told are the findings about the routes that were logged.
	told []layout.Finding
	// builtIn: the configuration has a wsfev1_backend.
	builtIn bool
	// said is the clock that a handler configures, nil if none does.
	said   *ClockSetting
	clock  SharedClock
	logger *zap.Logger

	// started: all of the configuration is open. The lock of running guards it.
	started bool

	// sites are the addresses of the sites, nil if they may be shared. taken are those, as the
	// configuration has them, where another process listened when the first handler was provisioned.
	sites []netip.AddrPort
	taken []string
}

// Resource is open while its configuration runs.
type Resource interface {
	// Start opens the resource. An error keeps the configuration from starting.
	Start() error
	// Stop releases the resource once the last request has left it. It does not wait for that.
	Stop()
}

// Task runs while all resources of its configuration are open.
type Task interface {
	Start()
	// Stop ends the task and waits for its end. It is called even if Start was not.
	Stop()
}

// Setting is how a configuration sets up a resource that outlives configurations.
type Setting interface {
	// Apply sets up the resource. It is called when the configuration has started, and again
	// when a configuration that replaced this one is gone.
	Apply() error
}

// CaddyModule returns the Caddy module information.
func (*App) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "wsfev1", New: func() caddy.Module { return new(App) }}
}

// Provision implements caddy.Provisioner.
func (a *App) Provision(ctx caddy.Context) error {
	a.logger = ctx.Logger()
	stdlog.Guard()
	panics.Observe(metrics.ObservePanic)
	return nil
}

// Of returns the app of a configuration. The first call creates it. The caller is a handler: it gets
// an error if the routes around it certainly cannot work.
func Of(ctx caddy.Context) (*App, error) {
	module, err := ctx.App("wsfev1")
	if err != nil {
		return nil, fmt.Errorf("loading the wsfev1 app: %w", err)
	}
	if server, ok := ctx.Value(caddyhttp.ServerCtxKey).(*caddyhttp.Server); ok {
		if err := layout.Check(server); err != nil {
			return nil, err
		}
		if err := module.(*App).review(ctx, server); err != nil {
			return nil, err
		}
		module.(*App).services = append(module.(*App).services, layout.Services(server)...)
		module.(*App).guardPorts(ctx)
	}
	return module.(*App), nil
}

// Environment returns the authority's environment whose figures hold for the handler that calls it:
// homo, prod, or no text where it is not known (layout.Environment).
func Environment(ctx caddy.Context) string {
	if server, ok := ctx.Value(caddyhttp.ServerCtxKey).(*caddyhttp.Server); ok {
		return layout.Environment(server)
	}
	return ""
}

// ServiceEnvironment returns the environment of the service behind the handler that calls it, empty where that is
// not known before a request (layout.ServiceEnvironment).
func ServiceEnvironment(ctx caddy.Context) audit.Environment {
	if server, ok := ctx.Value(caddyhttp.ServerCtxKey).(*caddyhttp.Server); ok {
		return layout.ServiceEnvironment(server)
	}
	return ""
}

// Open registers a resource, which is opened when the configuration starts. Resources start in
// the order of registration.
func (a *App) Open(r Resource) { a.resources = append(a.resources, r) }

// Run registers a task, which runs as long as the configuration.
func (a *App) Run(t Task) { a.tasks = append(a.tasks, t) }

// Set registers a setting, which is applied when the configuration starts.
func (a *App) Set(s Setting) { a.settings = append(a.settings, s) }

// Lend returns a handle on a pooled resource, which is opened when the configuration starts.
func Lend[T io.Closer](a *App, pool *caddy.UsagePool, key string, open func() (T, error)) *Handle[T] {
	h := NewHandle(pool, key, open)
	a.Open(h)
	return h
}

// Shared returns the value that the handlers of a configuration share under a key. The first
// caller creates it. As for context values, a key is of a type of the package that the value
// belongs to.
func Shared[T any](a *App, key any, create func() T) T {
	if value, ok := a.shared[key]; ok {
		return value.(T)
	}
	if a.shared == nil {
		a.shared = map[any]any{}
	}
	value := create()
	a.shared[key] = value
	return value
}

// LookUp returns a value that Shared has created, false if there is none.
func LookUp[T any](a *App, key any) (value T, ok bool) {
	if a == nil {
		return value, false
	}
	value, ok = a.shared[key].(T)
	return value, ok
}

// Start claims the ports, sets the clock and opens the registered resources. The clock comes
// before the resources: a request that enters one may read it.
func (a *App) Start() error {
	if err := a.claimPorts(); err != nil {
		return err
	}
	a.run()
	for _, r := range a.resources {
		if err := r.Start(); err != nil {
			return err
		}
	}
	for _, t := range a.tasks {
		t.Start()
	}
	if err := a.apply(); err != nil {
		return err
	}
	a.serve()
	return nil
}

// apply applies the settings.
func (a *App) apply() error {
	stdlog.Guard() // a configuration that is gone may have set its output back
	var failures []error
	for _, s := range a.settings {
		failures = append(failures, s.Apply())
	}
	return errors.Join(failures...)
}

// Stop does nothing: requests are still being served. See Cleanup.
func (a *App) Stop() error { return nil }

// Cleanup ends the tasks and stops the resources. Each is released as soon as the last request
// has left it.
func (a *App) Cleanup() error {
	newest := a.leave()
	var stopping sync.WaitGroup
	for _, t := range a.tasks {
		panics.Go(&stopping, "stopping a task of a configuration", t.Stop)
	}
	stopping.Wait()
	for _, r := range a.resources {
		r.Stop()
	}
	if newest != nil {
		// A configuration that failed to start may have changed settings of the one
		// that stays.
		if err := newest.apply(); err != nil {
			a.logger.Error("the settings of the running configuration could not be applied again", zap.Error(err))
		}
	}
	return nil
}

// NameClock sets the clock that a wsfev1_backend configures, nil if it configures none. All
// handlers share one clock.
func (a *App) NameClock(written *Clock) error {
	a.builtIn = true
	if written == nil {
		return nil
	}
	setting, err := written.Setting(time.Now())
	if err != nil {
		return err
	}
	if a.said != nil && !a.said.same(setting) {
		return errors.New("clock: another wsfev1_backend of this configuration names another clock: all handlers share one")
	}
	a.said = &setting
	return nil
}

// HasBuiltIn reports whether a wsfev1_backend is part of the configuration.
func (a *App) HasBuiltIn() bool { return a.builtIn }

// Clock returns the clock of the configuration's handlers.
func (a *App) Clock() *SharedClock { return &a.clock }

// named returns the configured clock, by default the system's.
func (a *App) named() ClockSetting {
	if a.said == nil {
		return ClockSetting{}
	}
	return *a.said
}

// Interface guards
var (
	_ caddy.App          = (*App)(nil)
	_ caddy.Provisioner  = (*App)(nil)
	_ caddy.CleanerUpper = (*App)(nil)
)
