package trail

import (
	"slices"
	"sync"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/fielato/fielato/caddymodule/metrics"
)

// openTrails are the trails that the metrics cover.
var openTrails metrics.Live[*Trail]

// Collectors returns the collectors of the open trails. They are made once: a collector that is
// registered twice must be the same value.
var Collectors = sync.OnceValue(func() []prometheus.Collector {
	return slices.Concat([]prometheus.Collector{
		appendDuration, auditRecords, pendingOutcomes, UnrecordedExchanges, LostRecords,
		recoveries, recoveryDuration, seriesWaitDuration, newOutageCollector(),
	}, auditGauges(), seriesGauges())
})

// overTrails returns a gauge of the sum over the open trails at the time of the scrape.
func overTrails(name, help string, of func(*Trail) int) prometheus.Collector {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, func() float64 {
		sum := 0
		for _, t := range openTrails.All() {
			sum += of(t)
		}
		return float64(sum)
	})
}

// leastOfTrails is a gauge of the least value over the open trails at the time of the scrape. It
// is absent where no trail has a value.
type leastOfTrails struct {
	description *prometheus.Desc
	of          func(*Trail) (float64, bool)
}

func newLeastOfTrails(name, help string, of func(*Trail) (float64, bool)) *leastOfTrails {
	return &leastOfTrails{prometheus.NewDesc(name, help, nil, nil), of}
}

// Describe implements prometheus.Collector.
func (c *leastOfTrails) Describe(ch chan<- *prometheus.Desc) { ch <- c.description }

// Collect implements prometheus.Collector.
func (c *leastOfTrails) Collect(ch chan<- prometheus.Metric) {
	var values []float64
	for _, t := range openTrails.All() {
		if value, ok := c.of(t); ok {
			values = append(values, value)
		}
	}
	if len(values) > 0 {
		ch <- prometheus.MustNewConstMetric(c.description, prometheus.GaugeValue, slices.Min(values))
	}
}
