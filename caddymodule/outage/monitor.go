package outage

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/fielato/fielato/audit"
)

// Monitor knows whether a service answers. It belongs to the trail, in whose pool it
// outlives configurations: a reload neither closes a breaker nor forgets an outage.
type Monitor struct {
	journal Journal
	Breaker Breaker

	mu   sync.Mutex // guards what follows
	name string
	// rows are the failures in a row, by once.Scope: the outage that lasts, or what may
	// become one.
	streaks [2]failureStreak
	// unwritten are records that the trail has not taken yet, oldest first.
	unwritten []*audit.Record

	// writing keeps the records in order.
	writing sync.Mutex
}

// Journal is where outages are written down.
type Journal struct {
	// Log is the name of the log, which stands in its records.
	Log string
	// Append makes a record durable. It has told of an error that it returns.
	Append func(*audit.Record) error
	// Lost is told of a record that will not be written.
	Lost func(*audit.Record)
}

// failureRow is one of the two rows of failures of a once.Breaker, with what shows it.
type failureStreak struct {
	Incident
	// answered is when the newest answer came that ends the row: a request that was sent
	// before it and fails later says nothing new.
	answered time.Time
}

func (r *failureStreak) end(name string, scope Scope, answered time.Time) {
	*r = failureStreak{Incident: Incident{outageEvidence: outageEvidence{Service: name}}, answered: answered}
	if scope == Changes {
		r.Scope = ScopeChanges
	}
}

// maxUnwritten bounds what waits for a trail that takes nothing.
const maxUnwritten = 64

// Observation is what an exchange says about the service.
type Observation struct {
	// Class is that of the failure, no text for an answer.
	Class    string
	Upstream string
	// Record is the address of its record, no text if it has none.
	Record string
	// Sent is when it was sent, noticed when it failed.
	Sent, Noticed time.Time
	// Scopes are the rows that it belongs to.
	Scopes []Scope
	// Unwatched tells that no outage is to begin with it (breaker off).
	BreakerOff bool
}

// What the rows are that a question belongs to, and what changes something.
var (
	OfQuestions = []Scope{Everything}
	OfChanges   = []Scope{Everything, Changes}
	OnlyChanges = OfChanges[Changes:]
)

// Saw takes note of an exchange with the service. Who watches nothing (breaker off) begins
// no outage; but one that lasts is a proof with a beginning and an end, so his failures
// count in it and his answer ends it.
func (w *Monitor) Observe(s Observation, logger *zap.Logger) {
	w.mu.Lock()
	if s.Class == "" {
		w.answer(s, logger)
	} else if _, _, lasts := w.Breaker.Open(); lasts || !s.BreakerOff {
		w.fail(s, logger)
	}
	waits := len(w.unwritten) > 0
	w.mu.Unlock()
	if waits {
		w.write()
	}
}

// answer ends what an answer ends. The caller holds mu.
func (w *Monitor) answer(s Observation, logger *zap.Logger) {
	scope := slices.Max(s.Scopes)
	ended := w.Breaker.Answered(scope)
	if ended != nil {
		w.streaks[ended.Scope].Answer = s.Record
		w.change(ended, logger)
	}
	now := w.Breaker.Now()
	w.streaks[Everything].end(w.name, Everything, now)
	if scope == Changes || ended != nil {
		w.streaks[Changes].end(w.name, Changes, now)
	}
}

// fail adds a failure to the rows that it belongs to. The caller holds mu.
func (w *Monitor) fail(s Observation, logger *zap.Logger) {
	var scopes []Scope
	for _, scope := range s.Scopes {
		if r := &w.streaks[scope]; !s.Sent.Before(r.answered) {
			r.add(s)
			scopes = append(scopes, scope)
		}
	}
	if began := w.Breaker.Failed(s.Noticed, scopes...); began != nil {
		w.change(began, logger)
	}
}

// change makes the record of an outage that begins or ends. The caller holds mu.
func (w *Monitor) change(o *StateChange, logger *zap.Logger) {
	current := &w.streaks[o.Scope].Incident
	fields := []zap.Field{
		zap.String("service", w.name), zap.String("scope", cmp.Or(current.Scope, ScopeEverything)),
		zap.Time("since", o.Began), zap.Int("failures", current.Count()),
		zap.String("upstream", current.Upstream), zap.String("first", current.First), zap.String("last", current.Last),
	}
	outcome, ended := Began, w.Breaker.Now()
	if o.Ended.IsZero() {
		logger.Warn("the service does not answer: what changes something is not sent to it", fields...)
	} else {
		outcome, ended = Ended, o.Ended
		logger.Info("the service answers again", append(fields, zap.Duration("lasted", ended.Sub(o.Began)))...)
	}
	record, err := current.record(outcome, w.journal.Log, o.Began, ended.Sub(o.Began))
	if err != nil {
		logger.Error("an outage has no record", zap.Error(err))
		return
	}
	w.unwritten = append(w.unwritten, record)
	if n := len(w.unwritten) - maxUnwritten; n > 0 {
		w.journal.Lost(w.unwritten[0])
		w.unwritten = w.unwritten[1:]
	}
}

// write hands what is unwritten to the trail. What that does not take is tried again with
// the next exchange.
func (w *Monitor) write() {
	w.writing.Lock()
	defer w.writing.Unlock()
	for {
		w.mu.Lock()
		var next *audit.Record
		if len(w.unwritten) > 0 {
			next = w.unwritten[0]
		}
		w.mu.Unlock()
		if next == nil {
			return
		}
		if w.journal.Append(next) != nil {
			return
		}
		w.mu.Lock()
		if len(w.unwritten) > 0 && w.unwritten[0] == next {
			w.unwritten = w.unwritten[1:]
		}
		w.mu.Unlock()
	}
}
