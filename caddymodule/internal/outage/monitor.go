package outage

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/fielato/fielato/audit"
)

// Monitor observes whether a service answers. It belongs to the trail and outlives
// configurations with it: a reload neither closes a breaker nor forgets an outage.
type Monitor struct {
	journal Journal
	// Breaker denies requests while the service does not answer.
	Breaker Breaker

	mu   sync.Mutex // guards what follows
	name string
	// streaks are the failures in a row, by Scope: the present outage, or what may become
	// one.
	streaks [2]failureStreak
	// unwritten are the records still to be written, oldest first.
	unwritten []*audit.Record
	// writing: a call of write is at it.
	writing bool
}

// Journal is where the records of outages are written.
type Journal struct {
	// Log is the name of the log, which is part of each record.
	Log string
	// Append makes a record durable. It has already logged an error that it returns.
	Append func(*audit.Record) error
	// Lost is called for a record that will not be written.
	Lost func(*audit.Record)
}

// failureStreak is one of the two streaks of a Breaker, with its evidence.
type failureStreak struct {
	Incident
	// answered is the time of the newest answer that ended the streak. A request that was
	// sent before and fails later is not evidence.
	answered time.Time
}

func (r *failureStreak) end(name string, scope Scope, answered time.Time) {
	*r = failureStreak{Incident: Incident{outageEvidence: outageEvidence{Service: name}}, answered: answered}
	if scope == Changes {
		r.Scope = ScopeChanges
	}
}

// maxUnwritten bounds the records that wait while the trail cannot be written.
const maxUnwritten = 64

// Observation is what one exchange shows about the service.
type Observation struct {
	// Class is the class of the failure, empty for an answer.
	Class audit.Failure
	// Upstream is the address that the request was sent to, as reverse_proxy names it.
	Upstream string
	// Came is what another program answered, in Spanish, empty if none did.
	Came string
	// Record is the address of the exchange's record, empty if it has none.
	Record string
	// Sent is when the request was sent, Noticed when its failure was noticed.
	Sent, Noticed time.Time
	// Scopes are the streaks that it counts in.
	Scopes []Scope
	// BreakerOff: this observation must not begin an outage (breaker off).
	BreakerOff bool
}

// The scopes that an observation counts in.
var (
	// OfQuestions are the scopes of a query.
	OfQuestions = []Scope{Everything}
	// OfChanges are the scopes of an operation that changes something.
	OfChanges = []Scope{Everything, Changes}
	// OnlyChanges is OfChanges without Everything, for a failure that has already been counted there.
	OnlyChanges = OfChanges[Changes:]
)

// Observe takes an observation of the service. With BreakerOff it does not begin an outage.
// But a present outage has a record with a beginning and an end, so such failures count in it
// and such an answer ends it.
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

// answer ends the streaks, and an outage, that an answer ends. The caller holds mu.
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

// fail adds a failure to the streaks of its scopes. The caller holds mu.
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

// change logs the beginning or the end of an outage and queues its record. The caller holds mu.
func (w *Monitor) change(o *StateChange, logger *zap.Logger) {
	current := &w.streaks[o.Scope].Incident
	fields := []zap.Field{
		named("service", w.name), zap.String("scope", cmp.Or(current.Scope, ScopeEverything)),
		zap.Time("since", o.Began), zap.Int("failures", current.Count()),
		named("upstream", current.Upstream), named("first", current.First), named("last", current.Last),
	}
	outcome, ended := Began, w.Breaker.Now()
	if o.Ended.IsZero() {
		logger.Warn("the service does not answer: operations that change something are not sent to it", fields...)
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

// named returns a field, none if it is empty.
func named(name, value string) zap.Field {
	if value == "" {
		return zap.Skip()
	}
	return zap.String(name, value)
}

// Came returns what came last in place of an answer, empty if nothing came.
func (w *Monitor) Came(scope Scope) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.streaks[scope].came
}

// write appends the unwritten records to the journal, in order. Those that fail are tried again with the next
// observation. It waits for no other call: the one that is at it goes on with what comes meanwhile. Exchanges that
// each waited for a store that hangs would hold each other up, one after the other.
func (w *Monitor) write() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.writing {
		return
	}
	w.writing = true
	defer func() { w.writing = false }()
	for len(w.unwritten) > 0 {
		next := w.unwritten[0]
		if w.append(next) != nil {
			return
		}
		if len(w.unwritten) > 0 && w.unwritten[0] == next {
			w.unwritten = w.unwritten[1:]
		}
	}
}

// append appends a record to the journal, without mu, which the caller holds.
func (w *Monitor) append(r *audit.Record) error {
	w.mu.Unlock()
	defer w.mu.Lock()
	return w.journal.Append(r)
}
