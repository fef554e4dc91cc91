package metrics

import (
	"github.com/prometheus/client_golang/prometheus"
)

// ExemplarLabel is the label of an exemplar. Its value is the address of a record: log/index.
const ExemplarLabel = "record"

// MaxExemplar is the maximum length of the label and its value together, in characters
// (OpenMetrics 1.0).
const MaxExemplar = prometheus.ExemplarMaxRunes

// Observe observes seconds, with the exemplar unless it is nil.
func Observe(of prometheus.Observer, seconds float64, exemplar prometheus.Labels) {
	if with, ok := of.(prometheus.ExemplarObserver); ok && exemplar != nil {
		with.ObserveWithExemplar(seconds, exemplar)
		return
	}
	of.Observe(seconds)
}

// Inc adds one, with the exemplar unless it is nil.
func Inc(c prometheus.Counter, exemplar prometheus.Labels) {
	if with, ok := c.(prometheus.ExemplarAdder); ok && exemplar != nil {
		with.AddWithExemplar(1, exemplar)
		return
	}
	c.Inc()
}
