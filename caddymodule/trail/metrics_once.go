package trail

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/fielato/fielato/caddymodule/metrics"
	"github.com/fielato/fielato/once"
)

var (
	recoveries = metrics.Counters("wsfev1_recoveries_total", "Requests to which no answer came, by what asking the service has shown.", []string{"result"},
		metrics.Singly(string(once.Recovered), string(once.NotIssued), string(once.Different), string(once.Undecided)))
	recoveryDuration = prometheus.NewHistogram(metrics.Histogram("wsfev1_recovery_duration_seconds",
		"Time that asking the service about a request took, while its client waited, in seconds.", metrics.UpstreamBuckets))
	seriesWaitDuration = prometheus.NewHistogram(metrics.Histogram("wsfev1_series_wait_duration_seconds",
		"Time that a request which changes something waited for its turn in its series, also in vain, in seconds.", metrics.UpstreamBuckets))
)

// seriesGauges returns the gauges of what is open in the series of the trails.
func seriesGauges() []prometheus.Collector {
	return []prometheus.Collector{
		overTrails("wsfev1_unknown_outcomes",
			"Requests of which nobody knows whether they changed something at the service, while they are being settled; after a restart or a takeover, a series with any counts as one until it is looked at.",
			func(t *Trail) int { return t.Coordinator.Counts().Unknown }),
		overTrails("wsfev1_series_waiting",
			"Requests that wait for their turn in their series: for those before them, or for another gateway.",
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
