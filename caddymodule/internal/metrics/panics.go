package metrics

import (
	"github.com/caddyserver/caddy/v2"
	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/zap"

	"github.com/fielato/fielato/internal/panics"
)

// PanicsTotal counts recovered panics. Each is a bug of Fielato, or of a handler behind the
// gateway.
var PanicsTotal = prometheus.NewCounter(prometheus.CounterOpts{
	Name: "wsfev1_panics_total",
	Help: "Recovered panics. Each made one exchange, or one attempt of a background task, fail.",
})

// ObservePanic counts and logs a recovered panic.
func ObservePanic(e *panics.Error) {
	PanicsTotal.Inc()
	caddy.Log().Named("wsfev1").Error("a panic was recovered: report it, with this line",
		zap.String("task", e.Task), zap.String("cause", e.Cause), zap.ByteString("stack", e.Stack))
}

// safeCollector recovers panics of a collector: it runs on a goroutine of Prometheus, where a
// panic would end the process.
type safeCollector struct{ prometheus.Collector }

// Collect implements prometheus.Collector.
func (c safeCollector) Collect(ch chan<- prometheus.Metric) {
	defer panics.Catch("collecting metrics", nil)
	c.Collector.Collect(ch)
}
