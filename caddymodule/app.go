package caddymodule

import (
	"fmt"
	"io"

	"github.com/caddyserver/caddy/v2"
)

func init() { caddy.RegisterModule(new(App)) }

// App opens the stores and ledgers that a configuration names when that
// configuration starts, and lets go of them when it was replaced. It needs no
// configuration of its own: it comes to life with the first handler that needs it.
type App struct {
	leases []interface {
		start() error
		close()
	}
}

// CaddyModule returns the Caddy module information.
func (*App) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "wsfev1", New: func() caddy.Module { return new(App) }}
}

// Start opens what the handlers asked for while they were provisioned.
func (a *App) Start() error {
	for _, l := range a.leases {
		if err := l.start(); err != nil {
			return err
		}
	}
	return nil
}

// Stop does nothing: requests are still being served. See Cleanup.
func (a *App) Stop() error { return nil }

// Cleanup lets go of what was opened, as soon as the last request has left.
func (a *App) Cleanup() error {
	for _, l := range a.leases {
		l.close()
	}
	return nil
}

// lend registers a resource to be opened when the configuration of ctx starts.
func lend[T io.Closer](ctx caddy.Context, pool *caddy.UsagePool, key string, open func() (T, error)) (*lease[T], error) {
	module, err := ctx.App("wsfev1")
	if err != nil {
		return nil, fmt.Errorf("loading the wsfev1 app: %w", err)
	}
	l := newLease(pool, key, open)
	app := module.(*App)
	app.leases = append(app.leases, l)
	return l, nil
}

// Interface guards
var (
	_ caddy.App          = (*App)(nil)
	_ caddy.CleanerUpper = (*App)(nil)
)
