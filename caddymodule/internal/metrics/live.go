package metrics

import (
	"slices"

	"github.com/prometheus/client_golang/prometheus"
)

// Sum returns a gauge of the sum over the values that are live at the time of the scrape.
func (s *Live[T]) Sum(name, help string, of func(T) int) prometheus.Collector {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, func() float64 {
		sum := 0
		for _, one := range s.All() {
			sum += of(one)
		}
		return float64(sum)
	})
}

// Least returns a gauge of the least number that the function of returns for a value that is live at the time of
// the scrape. It is absent where of reports false for all of them.
func (s *Live[T]) Least(name, help string, of func(T) (float64, bool)) prometheus.Collector {
	return &least[T]{s, prometheus.NewDesc(name, help, nil, nil), of}
}

type least[T comparable] struct {
	live        *Live[T]
	description *prometheus.Desc
	of          func(T) (float64, bool)
}

// Describe implements prometheus.Collector.
func (c *least[T]) Describe(ch chan<- *prometheus.Desc) { ch <- c.description }

// Collect implements prometheus.Collector.
func (c *least[T]) Collect(ch chan<- prometheus.Metric) {
	var values []float64
	for _, one := range c.live.All() {
		if value, ok := c.of(one); ok {
			values = append(values, value)
		}
	}
	if len(values) > 0 {
		ch <- prometheus.MustNewConstMetric(c.description, prometheus.GaugeValue, slices.Min(values))
	}
}
