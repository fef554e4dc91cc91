package gateway

import (
	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/binding"
	"github.com/fielato/fielato/internal/panics"
	"github.com/fielato/fielato/once"
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
	if x.recorded || x.recordState != "" {
		return
	}
	x.verdict, x.answerWellFormed = wsfev1.Verdict{}, false
	switch {
	case x.forwarded && x.operation.Effect == wsfev1.EffectChanges:
		x.certainty = audit.Unknown
		x.fault = binding.Unanswered(audit.Unknown, x.operation.Effect, x.repeatable(), err)
		x.pending = x.pendingAfter()
	case x.kept && x.forwarded:
		x.fault = binding.Withheld(err)
	case x.kept:
		x.fault = binding.Unrecorded(err)
	case x.forwarded:
		x.fault = binding.Internal(err)
	default:
		x.fault = binding.InternalUnsent(err)
	}
	if x.kept {
		x.composeRefusal()
	}
}

// pendingAfter returns the request of an exchange that was broken off, nil if the service is
// not to be queried about it.
func (x *exchange) pendingAfter() *once.Pending {
	if !x.intended || x.turn == nil || x.gateway.Recover == optionOff {
		return nil
	}
	pending := x.pendingSince(x.gateway.now())
	pending.NoOutcome = x.kept
	return pending
}
