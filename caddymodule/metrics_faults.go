package caddymodule

import "github.com/prometheus/client_golang/prometheus"

// faultsActive is 0 where no built-in service runs.
var faultsActive = prometheus.NewGaugeFunc(prometheus.GaugeOpts{
	Name: "wsfev1_backend_faults_active",
	Help: "Faults that the built-in service may still make on purpose.",
}, func() float64 {
	board := boardIn(newestApp())
	if board == nil {
		return 0
	}
	return float64(len(board.injector.Load().active()))
})

var faultsInjected = prometheus.NewCounterVec(prometheus.CounterOpts{
	Name: "wsfev1_backend_faults_injected_total",
	Help: "Requests that the built-in service has failed on purpose, by kind of fault.",
}, []string{"kind"})

// Every kind is there from the start, as with all labels.
func init() {
	for _, kind := range faultKindNames() {
		faultsInjected.WithLabelValues(kind)
	}
}
