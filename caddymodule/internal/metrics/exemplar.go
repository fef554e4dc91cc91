package metrics

import (
	"github.com/prometheus/client_golang/prometheus"
)

// The labels of an exemplar: the address of a record, log/index, and the trace that the exchange is
// a part of, if any. Grafana looks for the latter by this name.
const (
	ExemplarLabel = "record"
	ExemplarTrace = "trace_id"
)

// MaxExemplar is the maximum length of all labels and their values together, in characters
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
