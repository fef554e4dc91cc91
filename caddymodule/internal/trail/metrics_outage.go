package trail

import (
	"cmp"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/outage"
)

// outageCollector collects the outages that last when it is scraped.
type outageCollector struct{ breakers, outages, services *prometheus.Desc }

func newOutageCollector() *outageCollector {
	return &outageCollector{
		breakers: prometheus.NewDesc("wsfev1_breaker_open",
			"Services considered down: no request that changes something is sent to them.", nil, nil),
		outages: prometheus.NewDesc("wsfev1_outages",
			"Outages under way, by scope: everything, or only changes while queries are answered.", []string{"scope"}, nil),
		services: prometheus.NewDesc("wsfev1_service_down",
			"Services in an outage, by the class of the newest failure: the network, or the service's own infrastructure.", []string{"class"}, nil),
	}
}

// Describe implements prometheus.Collector.
func (c *outageCollector) Describe(ch chan<- *prometheus.Desc) {
	ch <- c.breakers
	ch <- c.outages
	ch <- c.services
}

// Collect implements prometheus.Collector.
func (c *outageCollector) Collect(ch chan<- prometheus.Metric) {
	all := 0
	scopes := map[string]int{outage.ScopeEverything: 0, outage.ScopeChanges: 0}
	classes := map[audit.Failure]int{audit.FailureNetwork: 0, audit.FailureService: 0}
	for _, t := range openTrails.All() {
		t.monitors.Each(func(_ string, _ time.Time, o *outage.Incident) {
			all++
			scopes[cmp.Or(o.Scope, outage.ScopeEverything)]++
			classes[o.Newest()]++
		})
	}
	ch <- prometheus.MustNewConstMetric(c.breakers, prometheus.GaugeValue, float64(all))
	for scope, n := range scopes {
		ch <- prometheus.MustNewConstMetric(c.outages, prometheus.GaugeValue, float64(n), scope)
	}
	for class, n := range classes {
		ch <- prometheus.MustNewConstMetric(c.services, prometheus.GaugeValue, float64(n), string(class))
	}
}
