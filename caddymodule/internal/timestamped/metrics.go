package timestamped

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/fielato/fielato/caddymodule/internal/metrics"
)

// live are the stampers that the metrics cover.
var live metrics.Live[*Stamper]

var requests = metrics.Counters("wsfev1_audit_timestamp_requests_total",
	"Queries for a time-stamp of the newest checkpoint: stamped, or why not. invalid: the answer of the authority does not verify.",
	[]string{"result"}, each(results))

// each makes a label of each value.
func each(values []string) (all [][]string) {
	for _, value := range values {
		all = append(all, []string{value})
	}
	return all
}

func count(result string) { requests.WithLabelValues(result).Inc() }

var newest = live.Least("wsfev1_audit_timestamp_seconds",
	"When the newest checkpoint was last known to have a time-stamp, in seconds since 1970. The oldest of all trails that have an authority, 0 for never.",
	func(s *Stamper) (float64, bool) {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.state.at.IsZero() {
			return 0, true
		}
		return float64(s.state.at.UnixMilli()) / 1000, true
	})

// Collectors returns the collectors of time-stamps.
func Collectors() []prometheus.Collector { return []prometheus.Collector{requests, newest} }
