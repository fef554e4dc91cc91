package trail

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/outage"
)

// openIntentsWindow is how many records, the newest, are looked at for open intents
// when a trail is opened: it bounds the start, however long the log is. A crash
// leaves its open intents at the end of the log, where the next start finds them.
const openIntentsWindow = 10_000

// soughtElsewhere bounds for how many of them it is looked, when a trail is opened,
// whether another log has settled them.
const maxElsewhere = 256

// standing is how a trail stands: what is open in it, and whether it takes records.
type status struct {
	// found is how many open intents there were when the trail was opened, whole
	// whether the log was looked at from its beginning. Both are set before the trail
	// is used.
	found int
	whole bool

	mu sync.Mutex // guards open
	// open are the indexes of the intents that have no outcome.
	open map[uint64]struct{}

	// failed is the newest append's failure, nil after one that succeeded.
	failed atomic.Pointer[appendFailure]
}

type appendFailure struct {
	at  time.Time
	err error
}

// begin counts the open intents at the end of the log, but for those that another one of
// the logs has settled. The records that it looks at, the newest first, are shown to see
// as well: reading them takes longer than all else of a start.
func (s *status) load(ctx context.Context, store audit.Store, log string, logs []string, see func(*audit.Record)) error {
	s.open = map[uint64]struct{}{}
	seen, last := 0, uint64(0)
	for record, err := range store.Search(ctx, audit.Query{Log: log, Limit: openIntentsWindow}) {
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

// saw takes note of an append. An intent of which it is uncertain whether it was
// written is not counted: nothing was sent after it.
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

// settled takes note that an intent is not open any more, also if it was not known to be.
func (s *status) settled(intent uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.open, intent)
}

// Warn tells of what somebody should look at when the trail was opened.
func (t *Trail) Warn(logger *zap.Logger, store string) {
	if t.unsealed {
		logger.Warn("content was encrypted before, and from now on it is not: encryption_key is not set", zap.String("store", store))
	}
	if t.status.found > 0 {
		logger.Warn("there are intents without an outcome: whether those requests reached the service is unknown",
			zap.Int("intents", t.status.found),
			zap.String("list_them", "fielato wsfev1 audit search --outcome open --store "+store))
	}
}

// failureHolds is how long a failed append speaks against the trail. Only another
// append can tell that the store has recovered: a load balancer must let requests
// through again, or none would ever come.
const failureHolds = 10 * time.Second

// Ready returns nil if the trail takes records, as far as can be known without an
// exchange. What is owed is written first, which is the best of tests.
func (t *Trail) Ready(ctx context.Context, now time.Time) error {
	if err := t.backlog.flush(ctx); err != nil {
		return err
	}
	return t.Problem(now)
}

// Problem returns what speaks against the trail at the moment. It writes nothing.
func (t *Trail) Problem(now time.Time) error {
	if t.backlog.length.Load() > 0 {
		return ErrBacklog
	}
	if failed := t.status.failed.Load(); failed != nil && now.Sub(failed.at) < failureHolds {
		return fmt.Errorf("the newest record could not be written: %w", failed.err)
	}
	return nil
}

// OpenIntents returns how many intents have no outcome, and whether the whole log was looked
// at for them.
func (t *Trail) OpenIntents() (n int, whole bool) { return t.status.openIntents(), t.status.whole }

// Outages returns those that last, by service.
func (t *Trail) Outages() []outage.Shown { return t.monitors.Shown() }

// Monitor returns what knows whether a service answers.
func (t *Trail) Monitor(service string) *outage.Monitor { return t.monitors.Of(service) }
