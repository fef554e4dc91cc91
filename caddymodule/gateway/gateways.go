package gateway

import (
	"context"
	"time"

	"github.com/fielato/fielato/caddymodule/app"
	"github.com/fielato/fielato/caddymodule/internal/record"
	"github.com/fielato/fielato/caddymodule/internal/rulebook"
	"github.com/fielato/fielato/caddymodule/internal/trail"
)

// gateways are the gateways of a configuration.
type gateways struct {
	all []*Gateway
	countdownLog
}

// gatewaysKey is the key under which they are shared.
type gatewaysKey struct{}

// join adds a gateway to the gateways of its configuration.
func join(a *app.App, g *Gateway) {
	gs := app.Shared(a, gatewaysKey{}, func() *gateways { return new(gateways) })
	gs.all = append(gs.all, g)
	g.configured = gs
	rulebook.Add(a, g.place, g.bookForReaders(), func(code int32) rulebook.Counts { return rulebook.Counts(record.CountsOf(code)) })
	a.Set(breakerNumbers{g})
	a.Set(recordedClients{g})
}

// announceChanges logs the coming changes by which the service will refuse more, if it is time to.
func (g *Gateway) announceChanges(now time.Time) { g.configured.announce(now, g.configured.all) }

// runningGateways returns the gateways of the newest running configuration.
func runningGateways() []*Gateway {
	gs, ok := app.LookUp[*gateways](app.Newest(), gatewaysKey{})
	if !ok {
		return nil
	}
	return gs.all
}

// breakerNumbers is the setting that tunes a gateway's breaker.
type breakerNumbers struct{ gateway *Gateway }

// Apply implements app.Setting. Without an open trail there is no breaker.
func (b breakerNumbers) Apply() error {
	ctx, cancel := context.WithTimeout(context.Background(), trail.AppendTimeout)
	defer cancel()
	if t, leave, err := b.gateway.trailHandle.Enter(ctx); err == nil {
		b.gateway.way.Tune(t)
		leave()
	}
	return nil
}
