package caddymodule

import (
	"github.com/fielato/fielato/caddymodule/app"
	"github.com/fielato/fielato/caddymodule/metrics"
	"github.com/prometheus/client_golang/prometheus"
)

// faultsActive is 0 where no built-in service runs.
var faultsActive = prometheus.NewGaugeFunc(prometheus.GaugeOpts{
	Name: "wsfev1_backend_faults_active",
	Help: "Faults that the built-in service may still make on purpose.",
}, func() float64 {
	board := boardIn(app.Newest())
	if board == nil {
		return 0
	}
	return float64(len(board.injector.Load().active()))
})

var faultsInjected = metrics.Counters("wsfev1_backend_faults_injected_total",
	"Requests that the built-in service has failed on purpose, by kind of fault.", []string{"kind"}, metrics.Singly(faultKindNames()...))

// simulatorCollectors are those of wsfev1_backend.
func simulatorCollectors() []prometheus.Collector {
	return []prometheus.Collector{clockAhead, faultsActive, faultsInjected}
}
