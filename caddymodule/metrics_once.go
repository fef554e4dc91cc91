package caddymodule

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/fielato/fielato/once"
)

var (
	recoveries = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "wsfev1_recoveries_total",
		Help: "Requests to which no answer came, by what asking the service has shown.",
	}, []string{"result"})
	recoveryDuration = prometheus.NewHistogram(histogram("wsfev1_recovery_duration_seconds",
		"Time that asking the service about a request took, while its client waited.", upstreamBuckets))
)

func init() {
	for _, verdict := range []once.Verdict{once.Recovered, once.NotIssued, once.Different, once.Undecided} {
		recoveries.WithLabelValues(string(verdict))
	}
	collectors = append(collectors, recoveries, recoveryDuration)
}

// observeRecovery counts a settlement; took is 0 for one in the background.
func observeRecovery(verdict once.Verdict, took time.Duration) {
	recoveries.WithLabelValues(string(verdict)).Inc()
	if took > 0 {
		recoveryDuration.Observe(took.Seconds())
	}
}
