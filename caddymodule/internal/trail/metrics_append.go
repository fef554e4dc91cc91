package trail

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/fielato/fielato/caddymodule/internal/metrics"
)

var (
	appendDuration = prometheus.NewHistogram(metrics.Histogram("wsfev1_audit_append_duration_seconds",
		"Duration of a commit to the trail, in seconds.", appendBuckets))
	auditRecords = metrics.Counters("wsfev1_audit_records_total",
		"Records appended to the trail, or that could not be, by result.", []string{"result"}, metrics.Singly(resultWritten, resultFailed))
	pendingOutcomes = prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "wsfev1_audit_pending_outcomes",
		Help: "Records still to be written: outcomes, and with on_failure forward all other records as well.",
	})
	// UnrecordedExchanges counts exchanges without a durable record.
	UnrecordedExchanges = prometheus.NewCounter(prometheus.CounterOpts{
		Name: "wsfev1_audit_unrecorded_total",
		Help: "Exchanges that were forwarded or answered without a durable record.",
	})
	// LostRecords counts records of the backlog that will never be written.
	LostRecords = prometheus.NewCounter(prometheus.CounterOpts{
		Name: "wsfev1_audit_lost_records_total",
		Help: "Records that were due and will never be in the trail.",
	})
)

var appendBuckets = []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, 1, 5}

const (
	resultWritten = "written"
	resultFailed  = "failed"
)

// observeAppend measures a commit of the trail.
func observeAppend(records int, took time.Duration, err error) {
	appendDuration.Observe(took.Seconds())
	result := resultWritten
	if err != nil {
		result = resultFailed
	}
	auditRecords.WithLabelValues(result).Add(float64(records))
}
