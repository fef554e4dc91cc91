package gateway

import (
	"errors"
	"fmt"

	"go.uber.org/zap"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/binding"
	"github.com/fielato/fielato/caddymodule/outcome"
	"github.com/fielato/fielato/caddymodule/trail"
	"github.com/fielato/fielato/once"
	"github.com/fielato/fielato/wsfev1"
)

// unrecordedHeader tells the client that its answer has no record: pending if that is
// in memory and will be written as soon as the store takes it, lost if it will not;
// then the exchange's identifier, by which it is found later.
const unrecordedHeader = "Wsfev1-Unrecorded"

const (
	recordPending = "pending"
	recordLost    = "lost"
)

// intend is step 5: nothing that changes something leaves before this is durable,
// unless the operator has chosen on_failure forward.
func (x *exchange) intend() bool {
	if x.operation.Effect != wsfev1.EffectChanges {
		return true
	}
	record := x.record(audit.KindIntent)
	index, err := x.appendRecord(record)
	x.readied = Instant()
	if err == nil {
		x.intent, x.intended = index, true
		if !x.turn.Held() {
			return x.refuse(binding.NoTurn(x.sent, fmt.Errorf("%w: the lease of the series has run out", once.ErrBusy)))
		}
		return true
	}
	x.alarm("the intent could not be written", err)
	forwards := x.gateway.Trail.Forwards()
	// An intent that is perhaps in the trail gets an outcome, which says that nothing
	// was sent: it would be taken for the trace of a crash.
	if forwards || errors.Is(err, audit.ErrUncertain) {
		// Without room for the intent the outcome holds the request instead of it.
		x.owedIntent = x.owe(record)
		x.intended = x.owedIntent != nil
	}
	if forwards {
		x.uncovered = true
		trail.UnrecordedExchanges.Inc()
		return true
	}
	return x.refuse(binding.Unrecorded(err))
}

// keep is step 7: what happened, durable before the client learns of it.
func (x *exchange) writeRecord() {
	if x.kept {
		return
	}
	x.kept = true
	x.composeRefusal()
	if x.outcome == outcome.Unrecorded && !x.intended {
		return // it was refused because nothing can be written
	}
	kind := audit.KindExchange
	if x.intended {
		kind = audit.KindOutcome
	}
	record := x.record(kind)
	index, err := x.appendRecord(record)
	if err == nil {
		x.recorded, x.index = true, index
		return
	}
	x.alarm("the record could not be written", err)
	switch {
	case x.intended, x.gateway.Trail.Forwards():
		// The service has been asked, or the operator has chosen so: the client is owed
		// its answer, and the record is owed to the trail.
		if !x.uncovered {
			trail.UnrecordedExchanges.Inc()
		}
		x.recordState = recordPending
		if x.owe(record) == nil {
			x.recordState = recordLost
		}
		return
	case x.forwarded:
		x.fault = binding.Withheld(err)
	default:
		x.fault = binding.Unrecorded(err)
	}
	x.composeRefusal()
}

// put makes a record durable. Where exchanges go on without, none waits for a store
// that is known to take nothing.
func (x *exchange) appendRecord(r *audit.Record) (uint64, error) {
	if x.gateway.Trail.Forwards() && x.trail.Backlog() > 0 {
		return 0, trail.ErrBacklog
	}
	return x.trail.Append(r, x.owedIntent)
}

// owe keeps a record that could not be written. It returns nil if there is no room.
func (x *exchange) owe(r *audit.Record) *trail.Entry {
	o := x.trail.Enqueue(r, x.owedIntent, x.gateway.Trail.Forwards())
	if o == nil && r.Kind != audit.KindIntent { // the outcome of an intent will stand for both
		trail.LostRecords.Inc()
		x.gateway.alarm.Error("a record is lost: too many are owed to the trail", trail.LostFields(r)...)
	}
	return o
}

func (x *exchange) alarm(message string, err error) {
	x.gateway.alarm.Error(message, zap.String("operation", x.operationName()),
		zap.String("exchange", x.id), zap.String("on_failure", x.gateway.Trail.FailureMode()), zap.Error(err))
}
