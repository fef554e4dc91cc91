package caddymodule

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/once"
)

// watch knows whether a service answers. It belongs to the trail, in whose pool it
// outlives configurations: a reload neither closes a breaker nor forgets an outage.
type watch struct {
	journal outageJournal
	breaker once.Breaker

	mu   sync.Mutex // guards what follows
	name string
	// rows are the failures in a row, by once.Scope: the outage that lasts, or what may
	// become one.
	rows [2]failureRow
	// unwritten are records that the trail has not taken yet, oldest first.
	unwritten []*audit.Record

	// writing keeps the records in order.
	writing sync.Mutex
}

// outageJournal is where outages are written down.
type outageJournal struct {
	// log is the name of the log, which stands in its records.
	log string
	// append makes a record durable. It has told of an error that it returns.
	append func(*audit.Record) error
	// lost is told of a record that will not be written.
	lost func(*audit.Record)
}

// failureRow is one of the two rows of failures of a once.Breaker, with what shows it.
type failureRow struct {
	incident
	// answered is when the newest answer came that ends the row: a request that was sent
	// before it and fails later says nothing new.
	answered time.Time
}

func (r *failureRow) end(name string, scope once.Scope, answered time.Time) {
	*r = failureRow{incident: incident{outageEvidence: outageEvidence{Service: name}}, answered: answered}
	if scope == once.Changes {
		r.Scope = scopeChanges
	}
}

// maxUnwritten bounds what waits for a trail that takes nothing.
const maxUnwritten = 64

// sight is what an exchange says about the service.
type sight struct {
	// class is that of the failure, no text for an answer.
	class    string
	upstream string
	// record is the address of its record, no text if it has none.
	record string
	// sent is when it was sent, noticed when it failed.
	sent, noticed time.Time
	// scopes are the rows that it belongs to.
	scopes []once.Scope
	// unwatched tells that no outage is to begin with it (breaker off).
	unwatched bool
}

// What the rows are that a question belongs to, and what changes something.
var (
	ofQuestions = []once.Scope{once.Everything}
	ofChanges   = []once.Scope{once.Everything, once.Changes}
	onlyChanges = ofChanges[once.Changes:]
)

// saw takes note of an exchange with the service. Who watches nothing (breaker off) begins
// no outage; but one that lasts is a proof with a beginning and an end, so his failures
// count in it and his answer ends it.
func (w *watch) saw(s sight, logger *zap.Logger) {
	w.mu.Lock()
	if s.class == "" {
		w.answer(s, logger)
	} else if _, _, lasts := w.breaker.Open(); lasts || !s.unwatched {
		w.fail(s, logger)
	}
	waits := len(w.unwritten) > 0
	w.mu.Unlock()
	if waits {
		w.write()
	}
}

// answer ends what an answer ends. The caller holds mu.
func (w *watch) answer(s sight, logger *zap.Logger) {
	scope := slices.Max(s.scopes)
	ended := w.breaker.Answered(scope)
	if ended != nil {
		w.rows[ended.Scope].Answer = s.record
		w.change(ended, logger)
	}
	now := w.breaker.Now()
	w.rows[once.Everything].end(w.name, once.Everything, now)
	if scope == once.Changes || ended != nil {
		w.rows[once.Changes].end(w.name, once.Changes, now)
	}
}

// fail adds a failure to the rows that it belongs to. The caller holds mu.
func (w *watch) fail(s sight, logger *zap.Logger) {
	var scopes []once.Scope
	for _, scope := range s.scopes {
		if r := &w.rows[scope]; !s.sent.Before(r.answered) {
			r.add(s)
			scopes = append(scopes, scope)
		}
	}
	if began := w.breaker.Failed(s.noticed, scopes...); began != nil {
		w.change(began, logger)
	}
}

// change makes the record of an outage that begins or ends. The caller holds mu.
func (w *watch) change(o *once.StateChange, logger *zap.Logger) {
	current := &w.rows[o.Scope].incident
	fields := []zap.Field{
		zap.String("service", w.name), zap.String("scope", cmp.Or(current.Scope, scopeEverything)),
		zap.Time("since", o.Began), zap.Int("failures", current.count()),
		zap.String("upstream", current.upstream), zap.String("first", current.First), zap.String("last", current.Last),
	}
	outcome, ended := outcomeOutageBegan, w.breaker.Now()
	if o.Ended.IsZero() {
		logger.Warn("the service does not answer: what changes something is not sent to it", fields...)
	} else {
		outcome, ended = outcomeOutageEnded, o.Ended
		logger.Info("the service answers again", append(fields, zap.Duration("lasted", ended.Sub(o.Began)))...)
	}
	record, err := current.record(outcome, w.journal.log, o.Began, ended.Sub(o.Began))
	if err != nil {
		logger.Error("an outage has no record", zap.Error(err))
		return
	}
	w.unwritten = append(w.unwritten, record)
	if n := len(w.unwritten) - maxUnwritten; n > 0 {
		w.journal.lost(w.unwritten[0])
		w.unwritten = w.unwritten[1:]
	}
}

// write hands what is unwritten to the trail. What that does not take is tried again with
// the next exchange.
func (w *watch) write() {
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
		if w.journal.append(next) != nil {
			return
		}
		w.mu.Lock()
		if len(w.unwritten) > 0 && w.unwritten[0] == next {
			w.unwritten = w.unwritten[1:]
		}
		w.mu.Unlock()
	}
}
