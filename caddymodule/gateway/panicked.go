package gateway

import (
	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/binding"
	"github.com/fielato/fielato/internal/once"
	"github.com/fielato/fielato/internal/panics"
	"github.com/fielato/fielato/wsfev1"
)

// attempt runs a part of the exchange. A part that panics leaves an exchange that can be
// recorded and answered: see breakOff.
func (x *exchange) attempt(part func()) {
	defer func() {
		if value := recover(); value != nil {
			x.breakOff(panics.Recovered("exchange "+x.id, value))
		}
	}()
	part()
}

// breakOff ends the exchange after a panic. A request that was sent may have been carried out:
// its outcome is unknown, and the series waits until the service has been queried. An answer
// that is in the trail or its backlog is still sent.
func (x *exchange) breakOff(err error) {
	if x.rec.durable || x.rec.state != "" {
		return
	}
	x.answer.verdict, x.answer.wellFormed = wsfev1.Verdict{}, false
	switch {
	case x.sent.Forwarded && x.in.Operation.Effect == wsfev1.EffectChanges:
		x.sent.Certainty = audit.Unknown
		x.refusal = binding.Unanswered(audit.Unknown, x.in.Operation.Effect, x.repeatable(), err)
		x.seq.pending = x.pendingAfter()
	case x.rec.done && x.sent.Forwarded:
		x.refusal = binding.Withheld(err)
	case x.rec.done:
		x.refusal = binding.Unrecorded(err)
	case x.sent.Forwarded:
		x.refusal = binding.Internal(err)
	default:
		x.refusal = binding.InternalUnsent(err)
	}
	if x.rec.done {
		x.composeReply()
	}
}

// pendingAfter returns the request of an exchange that was broken off, nil if the service is
// not to be queried about it.
func (x *exchange) pendingAfter() *once.Pending {
	if !x.rec.intended || x.seq.turn == nil || !x.gateway.policy.recover {
		return nil
	}
	pending := x.pendingSince(x.gateway.now())
	pending.NoOutcome = x.rec.done
	return pending
}
