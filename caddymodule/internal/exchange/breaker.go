package exchange

import (
	"context"
	"time"

	"github.com/fielato/fielato/caddymodule/internal/binding"
	"github.com/fielato/fielato/caddymodule/internal/outage"
	"github.com/fielato/fielato/caddymodule/internal/trail"
	"github.com/fielato/fielato/internal/once"
	"github.com/fielato/fielato/wsfev1"
)

// probe is the probe by which an exchange finds out whether an outage is over. monitor is nil if it does not
// probe.
type probe struct{ monitor *outage.Monitor }

// end ends the probe, so that another exchange may probe. It may be called more than
// once.
func (p *probe) end() {
	if p.monitor != nil {
		p.monitor.Breaker.EndProbe()
		p.monitor = nil
	}
}

// failFast refuses a request before it waits for its turn, if that would be in vain: the
// service does not answer, and the series has an open request that must be settled first.
func (way *Way) failFast(t *trail.Trail, request *once.Request) *binding.Refusal {
	if w := way.activeMonitor(t); w != nil {
		if wait, halts := w.Breaker.Denies(); halts && t.Coordinator.Unsettled(request.Key.OrderingKey) {
			return outageRefusal(w, wait)
		}
	}
	return nil
}

// passBreaker refuses an operation that changes something while the breaker denies it. It
// comes after the turn: repeats are answered from the trail also during an outage.
func (x *exchange) passBreaker() bool {
	x.spans.Enter("breaker")
	w := x.way.activeMonitor(x.trail)
	if w == nil || x.Decision.Operation.Effect != wsfev1.EffectChanges {
		return true
	}
	permission, wait := w.Breaker.Allow()
	switch permission {
	case outage.Pass:
		return true
	case outage.Probe:
		x.probe.monitor = w // until the exchange has reported the result
		if !asksInVain(x.detached(), serviceClientOf(x), &x.Decision.Subject) {
			return true
		}
		wait = x.way.Breaker.Cooldown()
	}
	if f := outageRefusal(w, wait); f != nil {
		return x.turnAway(func() bool { return x.Result.Refuse(f) })
	}
	return true
}

// asksInVain queries the service with the client's credentials: first FEDummy, which costs it
// nothing, then a query that takes the same way as issuing. If both are answered, the request
// itself may be sent. If queries were answered all the time, only the request shows whether
// the outage is over.
func asksInVain(ctx context.Context, service *serviceClient, subject *wsfev1.Subject) bool {
	if _, err := service.Ask(ctx, "FEDummy", &wsfev1.FEDummyRequest{}); err != nil {
		return true
	}
	operation, request := "FECompTotXRequest", any(&wsfev1.AuthRequest{Auth: service.Auth()})
	if subject.PtoVta != 0 && subject.CbteTipo != 0 {
		operation, request = "FECompUltimoAutorizado", &wsfev1.FECompUltimoAutorizadoRequest{
			Auth: service.Auth(), PtoVta: subject.PtoVta, CbteTipo: subject.CbteTipo,
		}
	}
	_, err := service.Ask(ctx, operation, request)
	return err != nil
}

// outageRefusal refuses a request because the service does not answer, nil if the outage has ended meanwhile.
func outageRefusal(w *outage.Monitor, wait time.Duration) *binding.Refusal {
	scope, since, open := w.Breaker.Open()
	if !open {
		return nil
	}
	return binding.Outage(since, wait, scope == outage.Changes, w.Came(scope))
}
