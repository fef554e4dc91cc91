package exchange

import (
	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/binding"
	"github.com/fielato/fielato/internal/panics"
	"github.com/fielato/fielato/wsfev1"
)

// attempt runs a part of the exchange. A part that panics leaves an exchange that can be
// recorded and answered: see breakOff.
func (x *exchange) attempt(part func()) {
	defer func() {
		if value := recover(); value != nil {
			x.breakOff(panics.Recovered("exchange "+x.ID, value))
		}
	}()
	part()
}

// breakOff ends the exchange after a panic. A request that was sent may have been carried out:
// its outcome is unknown, and the series waits until the service has been queried. An answer
// that is in the trail or its backlog is still sent.
func (x *exchange) breakOff(err error) {
	if x.Place.Durable || x.Place.State != "" {
		return
	}
	x.Result.Verdict, x.Result.WellFormed = wsfev1.Verdict{}, false
	switch {
	case x.Sent.Forwarded && x.Decision.Operation.Effect == wsfev1.EffectChanges:
		x.Result.Certainty = audit.Unknown
		x.Result.Refusal = binding.Unanswered(audit.Unknown, x.Decision.Operation.Effect, x.way.Policy.repeats(x.Place), err)
		if x.lane.pending = nil; x.Place.Intended && x.lane.turn != nil && x.way.Policy.Recover {
			x.lane.pending = x.lane.pendingSince(&x.Facts, x.journal.owed, x.way.Now())
			x.lane.pending.NoOutcome = x.journal.done
		}
	case x.journal.done && x.Sent.Forwarded:
		x.Result.Refusal = binding.Withheld(err)
	case x.journal.done:
		x.Result.Refusal = binding.Unrecorded(err)
	case x.Sent.Forwarded:
		x.Result.Refusal = binding.Internal(err)
	default:
		x.Result.Refusal = binding.InternalUnsent(err)
	}
	if x.journal.done {
		x.composeReply()
	}
}
