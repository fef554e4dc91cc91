package caddymodule

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/zap"

	"github.com/fielato/fielato/audit"
)

// openIntentsWindow is how many records, the newest, are looked at for open intents
// when a trail is opened: it bounds the start, however long the log is. A crash
// leaves its open intents at the end of the log, where the next start finds them.
const openIntentsWindow = 10_000

var openIntents = prometheus.NewGauge(prometheus.GaugeOpts{
	Name: "wsfev1_audit_open_intents",
	Help: "Intents that have no outcome: those on their way, and those that a crash left among the newest 10000 records.",
})

// standing is how a trail stands: what is open in it, and whether it takes records.
type standing struct {
	// found is how many open intents there were when the trail was opened, whole
	// whether the log was looked at from its beginning. Both are set before the trail
	// is used.
	found int
	whole bool

	open atomic.Int64
	// failed is the newest append's failure, nil after one that succeeded.
	failed atomic.Pointer[appendFailure]
}

type appendFailure struct {
	at  time.Time
	err error
}

// begin counts the open intents at the end of the log. The records that it looks at, the
// newest first, are shown to see as well: reading them takes longer than all else of a start.
func (s *standing) begin(ctx context.Context, store audit.Store, log string, see func(*audit.Record)) error {
	seen, last := 0, uint64(0)
	for record, err := range store.Search(ctx, audit.Query{Log: log, Limit: openIntentsWindow}) {
		if err != nil {
			return fmt.Errorf("looking for open intents: %w", err)
		}
		see(record)
		if seen, last = seen+1, record.Index; record.Kind == audit.KindIntent {
			s.found++
		}
	}
	s.whole = seen < openIntentsWindow || last == 0
	s.open.Store(int64(s.found))
	openIntents.Add(float64(s.found))
	return nil
}

// end takes what is open out of the metric, which is about open trails.
func (s *standing) end() { openIntents.Sub(float64(s.open.Swap(0))) }

// saw takes note of an append. An intent of which it is uncertain whether it was
// written is not counted: nothing was sent after it.
func (s *standing) saw(kind audit.Kind, err error) {
	if err != nil {
		s.failed.Store(&appendFailure{time.Now(), err})
		return
	}
	s.failed.Store(nil)
	switch kind {
	case audit.KindIntent:
		s.open.Add(1)
		openIntents.Inc()
	case audit.KindOutcome:
		s.open.Add(-1)
		openIntents.Dec()
	}
}

// warn tells of what somebody should look at when the trail was opened.
func (t *trail) warn(logger *zap.Logger, store string) {
	if t.unsealed {
		logger.Warn("content was encrypted before, and from now on it is not: encryption_key is not set", zap.String("store", store))
	}
	if t.standing.found > 0 {
		logger.Warn("there are intents without an outcome: whether those requests reached the service is unknown",
			zap.Int("intents", t.standing.found),
			zap.String("list_them", "wsfev1 audit search --outcome open --store "+store))
	}
}

// failureHolds is how long a failed append speaks against the trail. Only another
// append can tell that the store has recovered: a load balancer must let requests
// through again, or none would ever come.
const failureHolds = 10 * time.Second

// ready returns nil if the trail takes records, as far as can be known without an
// exchange. What is owed is written first, which is the best of tests.
func (t *trail) ready(ctx context.Context, now time.Time) error {
	if err := t.debt.settle(ctx); err != nil {
		return err
	}
	return t.problem(now)
}

// problem returns what speaks against the trail at the moment. It writes nothing.
func (t *trail) problem(now time.Time) error {
	if t.debt.amount.Load() > 0 {
		return errOwed
	}
	if failed := t.standing.failed.Load(); failed != nil && now.Sub(failed.at) < failureHolds {
		return fmt.Errorf("the newest record could not be written: %w", failed.err)
	}
	return nil
}
