package cosigned

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/fielato/fielato/caddymodule/internal/metrics"
)

// live are the witnesses that the metrics cover.
var live metrics.Live[*member]

var requests = metrics.Counters("wsfev1_audit_witness_requests_total",
	"Attempts to have the newest checkpoint cosigned: signed, or why not. unsound: the witness refuses a sound proof, or there is proof that the log lost records or was rewritten.",
	[]string{"witness", "result"}, nil)

// countNothing makes the counters of a witness.
func countNothing(witness string) {
	for _, result := range results {
		requests.WithLabelValues(witness, result)
	}
}

func count(witness, result string) { requests.WithLabelValues(witness, result).Inc() }

// Collectors returns the collectors of what witnesses sign.
func Collectors() []prometheus.Collector { return []prometheus.Collector{requests, newestSigned} }

// signedCollector collects what each witness has signed.
type signedCollector struct{ size, at *prometheus.Desc }

var newestSigned = &signedCollector{
	prometheus.NewDesc("wsfev1_audit_witness_size",
		"Records under the newest checkpoint that the witness has signed. The least of all trails that it witnesses.", []string{"witness"}, nil),
	prometheus.NewDesc("wsfev1_audit_witness_timestamp_seconds",
		"When the newest checkpoint was last known to be cosigned by the witness, in seconds since 1970. The oldest of all trails that it witnesses, 0 for never.", []string{"witness"}, nil),
}

// Describe implements prometheus.Collector.
func (c *signedCollector) Describe(ch chan<- *prometheus.Desc) { ch <- c.size; ch <- c.at }

// Collect implements prometheus.Collector.
func (c *signedCollector) Collect(ch chan<- prometheus.Metric) {
	sizes, times := map[string]uint64{}, map[string]time.Time{}
	for _, m := range live.All() {
		m.mu.Lock()
		size, at := m.state.size, m.state.at
		m.mu.Unlock()
		if least, seen := sizes[m.Name()]; !seen || size < least {
			sizes[m.Name()] = size
		}
		if oldest, seen := times[m.Name()]; !seen || at.Before(oldest) {
			times[m.Name()] = at
		}
	}
	for name, size := range sizes {
		seconds := 0.0
		if at := times[name]; !at.IsZero() {
			seconds = float64(at.UnixMilli()) / 1000
		}
		ch <- prometheus.MustNewConstMetric(c.size, prometheus.GaugeValue, float64(size), name)
		ch <- prometheus.MustNewConstMetric(c.at, prometheus.GaugeValue, seconds, name)
	}
}
