package caddymodule

import (
	"cmp"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/fielato/fielato/wsfev1"
)

// The kinds of requests that InFlight bounds.
const (
	kindIssuing = "issuing"
	kindTables  = "tables"
	kindQueries = "queries"
)

// inFlight is counted and not asked for when it is scraped: the gateway of a
// configuration that was replaced has requests at the service still.
var inFlight = prometheus.NewGaugeVec(prometheus.GaugeOpts{
	Name: "wsfev1_in_flight",
	Help: "Requests of clients that are at the service now, by kind. The gateway's own questions are not counted.",
}, []string{"kind"})

// inFlightOf are the gauges of inFlight by family.
var inFlightOf = map[wsfev1.Family]prometheus.Gauge{}

func init() {
	for family, kind := range map[wsfev1.Family]string{
		wsfev1.FamilyIssuing: kindIssuing, wsfev1.FamilyCAEA: kindIssuing, wsfev1.FamilyTable: kindTables,
		wsfev1.FamilyQuery: kindQueries, wsfev1.FamilyHealth: kindQueries,
	} {
		inFlightOf[family] = inFlight.WithLabelValues(kind)
	}
	collectors = append(collectors, inFlight, &roomCollector{prometheus.NewDesc("wsfev1_in_flight_limit",
		"Requests of a kind that may be at the service at a time, summed up over the gateways of the configuration.", []string{"kind"}, nil)})
}

// roomCollector tells how many requests the newest configuration lets go to the service.
type roomCollector struct{ description *prometheus.Desc }

// Describe implements prometheus.Collector.
func (c *roomCollector) Describe(ch chan<- *prometheus.Desc) { ch <- c.description }

// Collect implements prometheus.Collector.
func (c *roomCollector) Collect(ch chan<- prometheus.Metric) {
	limits := map[string]int{kindIssuing: 0, kindTables: 0, kindQueries: 0}
	running.Lock()
	if n := len(running.apps); n > 0 {
		for _, g := range running.apps[n-1].gateways {
			limits[kindIssuing] += cmp.Or(g.InFlight.Issuing, defaultIssuing)
			limits[kindTables] += cmp.Or(g.InFlight.Tables, defaultTables)
			limits[kindQueries] += cmp.Or(g.InFlight.Queries, defaultQueries)
		}
	}
	running.Unlock()
	for kind, limit := range limits {
		ch <- prometheus.MustNewConstMetric(c.description, prometheus.GaugeValue, float64(limit), kind)
	}
}
