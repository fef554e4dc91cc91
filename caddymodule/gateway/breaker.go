package gateway

import (
	"strconv"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"

	"github.com/fielato/fielato/caddymodule/internal/binding"
	"github.com/fielato/fielato/caddymodule/internal/outage"
	"github.com/fielato/fielato/caddymodule/internal/trail"
	"github.com/fielato/fielato/internal/once"
	"github.com/fielato/fielato/wsfev1"
)

// unmarshalBreaker reads the option breaker.
func (g *Gateway) unmarshalBreaker(d *caddyfile.Dispenser) error {
	if !d.NextArg() {
		return d.Err(outage.Usage)
	}
	if d.Val() == optionOff {
		g.Breaker.Off = true
	} else {
		n, err := strconv.Atoi(d.Val())
		if err != nil || n < 1 {
			return d.Err(outage.Usage)
		}
		g.Breaker.Failures = n
	}
	for d.NextArg() {
		option := d.Val()
		if !d.NextArg() {
			return d.Err(outage.Usage)
		}
		switch {
		case option == "rest" && !g.Breaker.Off:
			rest, err := caddy.ParseDuration(d.Val())
			if err != nil || rest <= 0 {
				return d.Errf("breaker rest %q: give a duration such as 10s", d.Val())
			}
			g.Breaker.Rest = caddy.Duration(rest)
		case option == "service":
			g.Breaker.Service = d.Val()
		default:
			return d.Err(outage.Usage)
		}
	}
	return nil
}

// activeMonitor returns the monitor whose breaker may refuse requests, nil with breaker off.
func (g *Gateway) activeMonitor(t *trail.Trail) *outage.Monitor {
	if g.Breaker.Off {
		return nil
	}
	return g.monitor(t)
}

// monitor returns the monitor of the gateway's service, also with breaker off.
func (g *Gateway) monitor(t *trail.Trail) *outage.Monitor { return t.Monitor(g.Breaker.Service) }

// tune sets the threshold and the cooldown of the breaker, which outlives configurations.
func (g *Gateway) tune(t *trail.Trail) {
	if w := g.activeMonitor(t); w != nil {
		w.Breaker.Tune(g.Breaker.Threshold(), g.Breaker.Cooldown())
	}
}

// failFast refuses a request before it waits for its turn, if that would be in vain: the
// service does not answer, and the series has an open request that must be settled first.
func (x *exchange) failFast(request *once.Request) *binding.Refusal {
	w := x.gateway.activeMonitor(x.trail)
	if w == nil {
		return nil
	}
	if wait, halts := w.Breaker.Denies(); halts && x.trail.Coordinator.Unsettled(request.Key.OrderingKey) {
		return outageRefusal(w, wait)
	}
	return nil
}

// passBreaker refuses an operation that changes something while the breaker denies it. It
// comes after the turn: repeats are answered from the trail also during an outage.
func (x *exchange) passBreaker() bool {
	w := x.gateway.activeMonitor(x.trail)
	if w == nil || x.in.Operation.Effect != wsfev1.EffectChanges {
		return true
	}
	permission, wait := w.Breaker.Allow()
	switch permission {
	case outage.Pass:
		return true
	case outage.Probe:
		x.probing = w // until the exchange has reported the result
		if x.probe() {
			return true
		}
		wait = x.gateway.Breaker.Cooldown()
	}
	return x.refuse(outageRefusal(w, wait))
}

// probe queries the service with the client's credentials: first FEDummy, which costs it
// nothing, then a query that takes the same way as issuing. If both are answered, the request
// itself may be sent. If queries were answered all the time, only the request shows whether
// the outage is over.
func (x *exchange) probe() bool {
	service := x.serviceClient()
	if _, err := service.Ask(x.detached(), "FEDummy", &wsfev1.FEDummyRequest{}); err != nil {
		return false
	}
	operation, request := "FECompTotXRequest", any(&wsfev1.AuthRequest{Auth: service.Auth()})
	if x.in.Subject.PtoVta != 0 && x.in.Subject.CbteTipo != 0 {
		operation, request = "FECompUltimoAutorizado", &wsfev1.FECompUltimoAutorizadoRequest{
			Auth: service.Auth(), PtoVta: x.in.Subject.PtoVta, CbteTipo: x.in.Subject.CbteTipo,
		}
	}
	_, err := service.Ask(x.detached(), operation, request)
	return err == nil
}

// endProbe ends the probe, so that another exchange may probe. It may be called more than
// once.
func (x *exchange) endProbe() {
	if x.probing != nil {
		x.probing.Breaker.EndProbe()
		x.probing = nil
	}
}
