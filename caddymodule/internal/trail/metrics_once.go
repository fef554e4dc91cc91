package trail

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/fielato/fielato/caddymodule/internal/metrics"
	"github.com/fielato/fielato/internal/once"
)

var (
	recoveries = metrics.Counters("wsfev1_recoveries_total", "Requests without an answer, by what asking the service showed.", []string{"result"},
		metrics.Singly(string(once.Recovered), string(once.NotIssued), string(once.Different), string(once.Undecided)))
	recoveryDuration = prometheus.NewHistogram(metrics.Histogram("wsfev1_recovery_duration_seconds",
		"Time spent asking the service about a request while its client waited, in seconds.", metrics.UpstreamBuckets))
	seriesWaitDuration = prometheus.NewHistogram(metrics.Histogram("wsfev1_series_wait_duration_seconds",
		"Time that a request waited for its turn in its series, in seconds, whether or not the turn came.", metrics.UpstreamBuckets))
)

// seriesGauges returns the gauges of the unsettled and the waiting requests in the series of the trails.
func seriesGauges() []prometheus.Collector {
	return []prometheus.Collector{
		openTrails.Sum("wsfev1_unknown_outcomes",
			"Requests being settled, as it is unknown whether they changed anything at the service. After a restart or takeover, a series with any counts as one at first.",
			func(t *Trail) int { return t.Coordinator.Counts().Unknown }),
		openTrails.Sum("wsfev1_series_waiting",
			"Requests waiting for their turn in their series, behind others or another gateway.",
			func(t *Trail) int { return t.Coordinator.Counts().Waiting }),
	}
}

// observeSeriesWait measures the wait for a turn in a series.
func observeSeriesWait(waited time.Duration) { seriesWaitDuration.Observe(waited.Seconds()) }

// ObserveRecovery counts a settlement; took is 0 for one in the background.
func ObserveRecovery(verdict once.Verdict, took time.Duration) {
	recoveries.WithLabelValues(string(verdict)).Inc()
	if took > 0 {
		recoveryDuration.Observe(took.Seconds())
	}
}
