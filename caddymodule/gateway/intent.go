package gateway

import (
	"errors"
	"fmt"

	"go.uber.org/zap"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/binding"
	"github.com/fielato/fielato/caddymodule/internal/trail"
	"github.com/fielato/fielato/internal/once"
	"github.com/fielato/fielato/wsfev1"
)

// unrecordedHeader is the header of an answer without a durable record: pending if the record
// is in memory and will be written as soon as the store works, lost if it will not be written;
// then the exchange's identifier, by which the record can be found later.
const unrecordedHeader = "Wsfev1-Unrecorded"

const (
	recordPending = "pending"
	recordLost    = "lost"
)

// intend is step 5: a request that changes something is sent only after its intent is durable,
// unless the operator has chosen on_failure forward.
func (x *exchange) intend() bool {
	if x.in.Operation.Effect != wsfev1.EffectChanges {
		return true
	}
	x.spans.Enter("intent")
	record := x.record(audit.KindIntent)
	index, err := x.appendRecord(record)
	x.rec.readyAt = instant()
	if err == nil {
		x.rec.intent, x.rec.intended = index, true
		if !x.seq.turn.Held() {
			return x.refuse(binding.NoTurn(x.seq.request, fmt.Errorf("%w: the lease of the series has run out", once.ErrBusy)))
		}
		return true
	}
	x.alarm("the intent could not be written", err)
	forwards := x.gateway.Trail.Forwards()
	// An intent that may be in the trail gets an outcome, not_sent. Without one it would look
	// like a crash.
	if forwards || errors.Is(err, audit.ErrUncertain) {
		// If the backlog has no room for the intent, the outcome has the request in its place.
		x.rec.owedIntent = x.owe(record)
		x.rec.intended = x.rec.owedIntent != nil
	}
	if forwards {
		x.rec.uncovered = true
		trail.UnrecordedExchanges.Inc()
		return true
	}
	return x.refuse(binding.Unrecorded(err))
}

// writeRecord is step 7: it makes the record durable before the client gets its answer.
func (x *exchange) writeRecord() {
	if x.rec.done {
		return
	}
	x.rec.done = true
	x.composeReply()
	switch {
	case x.outcome == audit.OutcomeUnrecorded && !x.rec.intended:
		return // it was refused because the trail cannot be written
	case x.skipStray():
		return
	}
	x.spans.Enter("record")
	kind := audit.KindExchange
	if x.rec.intended {
		kind = audit.KindOutcome
	}
	record := x.record(kind)
	index, err := x.appendRecord(record)
	if err == nil {
		x.rec.durable, x.rec.index = true, index
		return
	}
	x.alarm("the record could not be written", err)
	switch {
	case x.rec.intended, x.gateway.Trail.Forwards():
		// The service has been asked, or the operator has chosen so: the client gets its
		// answer, and the record goes to the backlog of the trail.
		if !x.rec.uncovered {
			trail.UnrecordedExchanges.Inc()
		}
		x.rec.state = recordPending
		if x.owe(record) == nil {
			x.rec.state = recordLost
		}
		return
	case x.sent.Forwarded:
		x.refusal = binding.Withheld(err)
	default:
		x.refusal = binding.Unrecorded(err)
	}
	x.composeReply()
}

// appendRecord makes a record durable. With on_failure forward it does not wait for a store that
// already has a backlog.
func (x *exchange) appendRecord(r *audit.Record) (uint64, error) {
	if x.gateway.Trail.Forwards() && x.trail.Backlog() > 0 {
		return 0, x.trail.Owing()
	}
	return x.trail.Append(r, x.rec.owedIntent)
}

// owe adds a record that could not be written to the backlog of the trail. It returns nil if
// the backlog is full.
func (x *exchange) owe(r *audit.Record) *trail.Entry {
	o := x.trail.Enqueue(r, x.rec.owedIntent, x.gateway.Trail.Forwards())
	if o == nil && r.Kind != audit.KindIntent { // the outcome of an intent replaces both
		trail.LostRecords.Inc()
		x.gateway.alarm.Error("a record is lost: too many wait to be written to the trail", trail.LostFields(r)...)
	}
	return o
}

// alarm logs an error that every exchange meets while it lasts.
func (x *exchange) alarm(message string, err error) {
	x.gateway.alarm.Error(message, zap.String("operation", x.operationName()),
		x.named(), zap.String("on_failure", x.gateway.Trail.FailureMode()), zap.Error(err))
}
