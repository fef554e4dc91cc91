package metrics

import (
	"github.com/prometheus/client_golang/prometheus"
)

// ExemplarLabel is the label of an exemplar, which has the address of an exchange's
// record: log/index.
const ExemplarLabel = "record"

// MaxExemplar bounds the label and its value, in characters (OpenMetrics 1.0).
const MaxExemplar = prometheus.ExemplarMaxRunes

// Observe observes seconds, with an exemplar unless that is nil.
func Observe(of prometheus.Observer, seconds float64, exemplar prometheus.Labels) {
	if with, ok := of.(prometheus.ExemplarObserver); ok && exemplar != nil {
		with.ObserveWithExemplar(seconds, exemplar)
		return
	}
	of.Observe(seconds)
}

// Inc adds one, with an exemplar unless that is nil.
func Inc(c prometheus.Counter, exemplar prometheus.Labels) {
	if with, ok := c.(prometheus.ExemplarAdder); ok && exemplar != nil {
		with.AddWithExemplar(1, exemplar)
		return
	}
	c.Inc()
}
