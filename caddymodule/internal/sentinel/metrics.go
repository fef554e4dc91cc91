package sentinel

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/metrics"
)

// live are the sentinels that the metrics cover.
var live metrics.Live[*Sentinel]

// hazardCollector collects the hazards that the newest looks have shown.
type hazardCollector struct{ description *prometheus.Desc }

var hazards = &hazardCollector{prometheus.NewDesc("wsfev1_audit_hazards",
	"Trails whose database may lose acknowledged records: commits that wait for no disk (commit, disk) or replica (replica), or a replica in the primary's place (recovery). 0 for SQLite.",
	[]string{"kind"}, nil)}

// Collectors returns the collectors of what sentinels see.
func Collectors() []prometheus.Collector { return []prometheus.Collector{hazards} }

// Describe implements prometheus.Collector.
func (c *hazardCollector) Describe(ch chan<- *prometheus.Desc) { ch <- c.description }

// Collect implements prometheus.Collector.
func (c *hazardCollector) Collect(ch chan<- prometheus.Metric) {
	found := map[audit.HazardKind]int{}
	for _, s := range live.All() {
		for _, hazard := range *s.hazards.Load() {
			found[hazard.Kind]++
		}
	}
	for _, kind := range audit.HazardKinds {
		ch <- prometheus.MustNewConstMetric(c.description, prometheus.GaugeValue, float64(found[kind]), string(kind))
	}
}
