package exchange

import (
	"errors"
	"fmt"
	"time"

	"go.uber.org/zap"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/binding"
	"github.com/fielato/fielato/caddymodule/internal/record"
	"github.com/fielato/fielato/caddymodule/internal/trail"
	"github.com/fielato/fielato/internal/clocks"
	"github.com/fielato/fielato/internal/once"
)

// journal writes the records of one exchange into the trail, in this order: the intent, if the request changes
// something, and the record of how it ended.
type journal struct {
	trail   *trail.Trail
	options *trail.Options
	alarm   *zap.Logger
	// owed is the intent, if it had to wait in the backlog of the trail.
	owed *trail.Entry
	// uncovered: the exchange went on without a durable intent. done: its record is written, or could not be.
	uncovered, done bool
	// readyAt is when the request was ready to be sent: when its intent was durable, if it has one.
	readyAt clocks.Instant
}

// intend makes the intent durable: a request that changes something is sent only then, unless the operator has
// chosen on_failure forward. It returns why the request must not be sent, nil if it may. taken: the intent could
// not take the lease of the series, and was not written.
func (j *journal) intend(f *record.Facts, l *lane, now time.Time, instant func() clocks.Instant) (refusal *binding.Refusal, taken bool) {
	intent := f.Record(audit.KindIntent, now)
	index, err := j.append(l.turn, intent)
	j.readyAt = instant()
	if err == nil {
		f.Place.Intent, f.Place.Intended, f.Place.IntentDurable = index, true, true
		if !l.turn.Held() {
			return binding.NoTurn(l.request, fmt.Errorf("%w: the lease of the series has run out", once.ErrBusy)), false
		}
		return nil, false
	}
	if errors.Is(err, audit.ErrLeaseTaken) {
		return nil, true
	}
	j.warn("the intent could not be written", f, err)
	forwards := j.options.Forwards()
	// An intent that may be in the trail gets an outcome, not_sent. Without one it would look
	// like a crash.
	if forwards || errors.Is(err, audit.ErrUncertain) {
		// If the backlog has no room for the intent, the outcome has the request in its place.
		j.owed = j.owe(l.turn, intent)
		f.Place.Intended = j.owed != nil
	}
	if forwards {
		j.uncovered = true
		trail.UnrecordedExchanges.Inc()
		return nil, false
	}
	return binding.Unrecorded(err), false
}

// record makes the record durable before the client gets its answer.
func (x *exchange) record() {
	if x.journal.done {
		return
	}
	x.journal.done = true
	x.composeReply()
	switch {
	case x.Result.Outcome == audit.OutcomeUnrecorded && !x.Place.Intended:
		return // it was refused because the trail cannot be written
	case x.way.skipsStray(&x.Facts, x.r), x.Sender != nil && x.Sender.Unrecorded:
		return
	}
	x.spans.Enter("record")
	kind := audit.KindExchange
	if x.Place.Intended {
		kind = audit.KindOutcome
	}
	made := x.Record(kind, x.way.Now())
	index, err := x.journal.append(x.lane.turn, made)
	if err == nil {
		x.Place.Durable, x.Place.Index = true, index
		return
	}
	x.alarm("the record could not be written", err)
	switch {
	case x.Place.Intended, x.way.Trail.Forwards():
		// The service has been asked, or the operator has chosen so: the client gets its
		// answer, and the record goes to the backlog of the trail.
		if !x.journal.uncovered {
			trail.UnrecordedExchanges.Inc()
		}
		x.Place.State = record.Pending
		if x.journal.owe(x.lane.turn, made) == nil {
			x.Place.State = record.Lost
		}
		return
	case x.Sent.Forwarded:
		x.Result.Refusal = binding.Withheld(err)
	default:
		x.Result.Refusal = binding.Unrecorded(err)
	}
	x.composeReply()
}

// append makes a record durable. With on_failure forward it does not wait for a store that
// already has a backlog.
func (j *journal) append(turn *once.Turn, r *audit.Record) (uint64, error) {
	if j.options.Forwards() && j.trail.Backlog() > 0 {
		return 0, j.trail.Owing()
	}
	return j.trail.AppendIn(turn, r, j.owed)
}

// owe adds a record that could not be written to the backlog of the trail. It returns nil if
// the backlog is full.
func (j *journal) owe(turn *once.Turn, r *audit.Record) *trail.Entry {
	o := j.trail.Enqueue(turn, r, j.owed, j.options.Forwards())
	if o == nil && r.Kind != audit.KindIntent { // the outcome of an intent replaces both
		trail.LostRecords.Inc()
		j.alarm.Error("a record is lost: too many wait to be written to the trail", trail.LostFields(r)...)
	}
	return o
}

// warn logs an error of the trail.
func (j *journal) warn(message string, f *record.Facts, err error) {
	j.alarm.Error(message, zap.String("operation", f.OperationName()),
		f.Field(), zap.String("on_failure", j.options.FailureMode()), zap.Error(err))
}
