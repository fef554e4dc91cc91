package simulator

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/fielato/fielato/caddymodule/app"
	"github.com/fielato/fielato/caddymodule/internal/metrics"
)

// faultsActive is 0 if no built-in service runs.
var faultsActive = prometheus.NewGaugeFunc(prometheus.GaugeOpts{
	Name: "wsfev1_backend_faults_active",
	Help: "Faults of the built-in service that may still strike.",
}, func() float64 {
	board := BoardIn(app.Newest())
	if board == nil {
		return 0
	}
	return float64(len(board.Injector.Load().Active()))
})

var faultsInjected = metrics.Counters("wsfev1_backend_faults_injected_total",
	"Requests that the built-in service failed on purpose, by kind of fault.", []string{"kind"}, metrics.Singly(FaultKinds()...))

// Collectors returns the collectors of wsfev1_backend.
func Collectors() []prometheus.Collector {
	return []prometheus.Collector{clockAhead, faultsActive, faultsInjected}
}

// clockAhead is 0 if no built-in service runs.
var clockAhead = prometheus.NewGaugeFunc(prometheus.GaugeOpts{
	Name: "wsfev1_backend_clock_offset_seconds",
	Help: "How far the clock of the built-in service is ahead of the machine's, in seconds; 0 for the system clock.",
}, func() float64 {
	a := app.Newest()
	if a == nil {
		return 0
	}
	setting := a.Clock().Setting()
	if !setting.Simulated() {
		return 0 // exactly
	}
	now := time.Now()
	return setting.At(now).Sub(now).Seconds()
})
