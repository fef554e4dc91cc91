package record

import (
	"cmp"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/metrics"
	"github.com/fielato/fielato/wsfev1"
)

// An exemplar costs nearly a microsecond and ten allocations, and a scrape sees only the newest
// of each bucket. So each class of failures, and each operation that changes something and
// succeeds, gets one per exemplarPause. An exchange that took exemplarSlow, or has an unknown
// outcome, always gets one. Answered queries, which are the most, get none.
const (
	exemplarPause = 100 * time.Millisecond
	exemplarSlow  = time.Second
)

// exemplarNext is when the next exemplar is due, in nanoseconds since 1970, by failure class,
// or by operation for what succeeded.
var exemplarNext = func() map[string]*atomic.Int64 {
	all := map[string]*atomic.Int64{}
	for _, class := range audit.FailureClasses {
		all[string(class)] = new(atomic.Int64)
	}
	for _, op := range wsfev1.Operations {
		if op.Effect == wsfev1.EffectChanges {
			all[op.Name] = new(atomic.Int64)
		}
	}
	return all
}()

// exemplar returns the labels that lead from a metric to the exchange's record, and to its trace
// where there is one and both fit; nil for none.
func (f *Facts) exemplar(failure audit.Failure, took time.Duration) prometheus.Labels {
	next := exemplarNext[cmp.Or(string(failure), f.OperationName())]
	if !f.Place.Durable || next == nil {
		return nil
	}
	if took < exemplarSlow && f.Result.Outcome != audit.OutcomeUnknown {
		now, due := f.Started.Add(took).UnixNano(), next.Load()
		if now < due || !next.CompareAndSwap(due, now+int64(exemplarPause)) {
			return nil
		}
	}
	address := f.Address()
	size := len(metrics.ExemplarLabel) + utf8.RuneCountInString(address)
	if !utf8.ValidString(address) || size > metrics.MaxExemplar {
		return nil
	}
	labels := prometheus.Labels{metrics.ExemplarLabel: address}
	if id := f.Trace.String(); id != "" && size+len(metrics.ExemplarTrace)+len(id) <= metrics.MaxExemplar {
		labels[metrics.ExemplarTrace] = id
	}
	return labels
}
