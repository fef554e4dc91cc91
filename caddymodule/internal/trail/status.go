package trail

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/outage"
)

// openIntentsWindow is how many of the newest records are searched for open intents when a trail
// is opened. It bounds the start, however long the log is. A crash leaves its open intents at
// the end of the log, where the next start finds them.
const openIntentsWindow = 10_000

// maxElsewhere bounds for how many open intents a start looks for a settlement in another log.
const maxElsewhere = 256

// status knows the open intents of a trail, and whether the trail takes records.
type status struct {
	// found is the number of open intents when the trail was opened. whole: the log was searched
	// from its beginning. Both are set before the trail is used.
	found int
	whole bool

	mu sync.Mutex // guards open
	// open has the indexes of the intents without an outcome.
	open map[uint64]struct{}

	// failed is the failure of the newest append, nil if that succeeded.
	failed atomic.Pointer[appendFailure]
}

type appendFailure struct {
	at  time.Time
	err error
}

// load counts the open intents at the end of the log, except those that another of the logs has
// settled. It passes the records, the newest first, to see as well: reading them takes longer
// than the rest of a start. A store reads content one record at a time, for which a start has no time where the
// store is behind a network.
func (s *status) load(ctx context.Context, store audit.Store, log string, logs []string, see func(*audit.Record)) error {
	s.open = map[uint64]struct{}{}
	seen, last := 0, uint64(0)
	for record, err := range store.Search(ctx, audit.Query{Log: log, Limit: openIntentsWindow, SummaryOnly: true}) {
		if err != nil {
			return fmt.Errorf("looking for open intents: %w", err)
		}
		see(record)
		if seen, last = seen+1, record.Index; record.Kind != audit.KindIntent {
			continue
		}
		if len(s.open) < maxElsewhere {
			settlement, err := audit.SettlementElsewhere(ctx, store, logs, record)
			if err != nil {
				return err
			}
			if settlement != nil {
				continue
			}
		}
		s.open[record.Index] = struct{}{}
	}
	s.found = len(s.open)
	s.whole = seen < openIntentsWindow || last == 0
	return nil
}

// openIntents returns how many intents have no outcome.
func (s *status) openIntents() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.open)
}

// observe notes the result of an append. An intent whose write is uncertain is not counted:
// nothing was sent after it.
func (s *status) observe(r *audit.Record, err error) {
	if err != nil {
		s.failed.Store(&appendFailure{time.Now(), err})
		return
	}
	s.failed.Store(nil)
	switch r.Kind {
	case audit.KindIntent:
		s.mu.Lock()
		s.open[r.Index] = struct{}{}
		s.mu.Unlock()
	case audit.KindOutcome:
		s.settled(r.Intent)
	}
}

// settled removes an intent from the open ones. It may be unknown.
func (s *status) settled(intent uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.open, intent)
}

// Warn logs what needs attention when the trail was opened.
func (t *Trail) Warn(logger *zap.Logger, store string) {
	if t.unsealed {
		logger.Warn("content is no longer encrypted, although it was before: encryption_key is not set", zap.String("store", store))
	}
	if t.status.found > 0 {
		logger.Warn("intents without an outcome: it is unknown whether the service received them",
			zap.Int("intents", t.status.found),
			zap.String("list_them", "fielato wsfev1 audit search --outcome open --store "+store))
	}
}

// failureHolds is how long a failed append counts against the trail. Only another append can
// show that the store has recovered, so a load balancer must let requests through again.
const failureHolds = 10 * time.Second

// Ready returns nil if the trail takes records, as far as can be known without an exchange. It
// flushes the backlog first, which is the best test.
func (t *Trail) Ready(ctx context.Context, now time.Time) error {
	if err := errors.Join(t.Lost(), t.cosigned.Contradicted()); err != nil {
		return err
	}
	if err := t.backlog.flush(ctx); err != nil {
		return err
	}
	return t.Problem(now)
}

// Problem returns the trail's present problem, nil if there is none. It writes nothing.
func (t *Trail) Problem(now time.Time) error {
	if err := t.Lost(); err != nil {
		return err
	}
	if err := t.cosigned.Contradicted(); err != nil {
		return err
	}
	if t.shortened.Load() {
		return errShortened
	}
	if t.backlog.length.Load() > 0 {
		return errBacklog
	}
	if failed := t.status.failed.Load(); failed != nil && now.Sub(failed.at) < failureHolds {
		return fmt.Errorf("the newest record could not be written: %w", failed.err)
	}
	return nil
}

// OpenIntents returns the number of intents without an outcome, and whether the whole log was
// searched for them.
func (t *Trail) OpenIntents() (n int, whole bool) { return t.status.openIntents(), t.status.whole }

// Outages returns the outages that last, by service.
func (t *Trail) Outages() []outage.Shown { return t.monitors.Shown() }

// Monitor returns the monitor of a service.
func (t *Trail) Monitor(service string) *outage.Monitor { return t.monitors.Of(service) }
