package checkpoint

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/fielato/fielato/caddymodule/internal/metrics"
)

var (
	checkpointPosts = metrics.Counters("wsfev1_audit_checkpoint_posts_total",
		"Attempts to keep a checkpoint elsewhere: kept, failed, or unsound if the trail contradicts what is kept there.",
		[]string{"result"}, metrics.Singly(resultKept, resultNotKept, resultUnsound))
	checkpointKept = newKeptCollector()
)

// Collectors returns the collectors of published checkpoints.
func Collectors() []prometheus.Collector {
	return []prometheus.Collector{checkpointPosts, checkpointKept}
}

// keptCollector collects when the newest checkpoint was last known to be published.
type keptCollector struct {
	metrics.Live[*Publisher]
	description *prometheus.Desc
}

func newKeptCollector() *keptCollector {
	return &keptCollector{description: prometheus.NewDesc("wsfev1_audit_checkpoint_kept_timestamp_seconds",
		"When the newest checkpoint was last known to be kept elsewhere, in seconds since 1970. The oldest of all places, 0 for never; absent if none is configured.", nil, nil)}
}

// Describe implements prometheus.Collector.
func (c *keptCollector) Describe(ch chan<- *prometheus.Desc) { ch <- c.description }

// Collect implements prometheus.Collector.
func (c *keptCollector) Collect(ch chan<- prometheus.Metric) {
	all := c.All()
	if len(all) == 0 {
		return
	}
	oldest := time.Unix(1<<40, 0)
	for _, p := range all {
		if at, _ := p.state(); at.Before(oldest) {
			oldest = at
		}
	}
	seconds := 0.0
	if !oldest.IsZero() {
		seconds = float64(oldest.UnixMilli()) / 1000
	}
	ch <- prometheus.MustNewConstMetric(c.description, prometheus.GaugeValue, seconds)
}
