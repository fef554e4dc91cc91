package gateway

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

// kindBodies and kindAnswers are kinds of the ratio only: their limits are in bytes.
const (
	kindBodies  = "bodies"
	kindAnswers = "answers"
)

// inFlight is counted, not collected from the gateways at a scrape: a gateway of a replaced
// configuration may still have requests at the service.
var inFlight = prometheus.NewGaugeVec(prometheus.GaugeOpts{
	Name: "wsfev1_in_flight",
	Help: "Clients' requests now at the service, by kind. The gateway's own questions are not counted.",
}, []string{"kind"})

var (
	// kindOf is the kind of each family.
	kindOf = map[wsfev1.Family]string{
		wsfev1.FamilyIssuing: kindIssuing, wsfev1.FamilyCAEA: kindIssuing, wsfev1.FamilyTable: kindTables,
		wsfev1.FamilyQuery: kindQueries, wsfev1.FamilyHealth: kindQueries,
	}
	// inFlightOf are the gauges of inFlight by family.
	inFlightOf = func() map[wsfev1.Family]prometheus.Gauge {
		gauges := map[wsfev1.Family]prometheus.Gauge{}
		for family, kind := range kindOf {
			gauges[family] = inFlight.WithLabelValues(kind)
		}
		return gauges
	}()
	slots = &slotCollector{
		limit: prometheus.NewDesc("wsfev1_in_flight_limit",
			"Most requests of each kind at the service at a time, summed over all gateways of the configuration.", []string{"kind"}, nil),
		ratio: prometheus.NewDesc("wsfev1_in_flight_ratio",
			"Share of in_flight, max_bodies (kind bodies) and max_answers (kind answers) in use, 0 to 1, in the gateway where it is largest.", []string{"kind"}, nil),
	}
)

// slotCollector exports the limits of the newest configuration, and the used share of them.
type slotCollector struct{ limit, ratio *prometheus.Desc }

// Describe implements prometheus.Collector.
func (c *slotCollector) Describe(ch chan<- *prometheus.Desc) {
	ch <- c.limit
	ch <- c.ratio
}

// Collect implements prometheus.Collector.
func (c *slotCollector) Collect(ch chan<- prometheus.Metric) {
	limits := map[string]int{kindIssuing: 0, kindTables: 0, kindQueries: 0}
	ratios := map[string]float64{kindIssuing: 0, kindTables: 0, kindQueries: 0, kindBodies: 0, kindAnswers: 0}
	for _, g := range runningGateways() {
		limits[kindIssuing] += cmp.Or(g.InFlight.Issuing, defaultIssuing)
		limits[kindTables] += cmp.Or(g.InFlight.Tables, defaultTables)
		limits[kindQueries] += cmp.Or(g.InFlight.Queries, defaultQueries)
		ratios[kindBodies] = max(ratios[kindBodies], g.bodies.Fullness())
		ratios[kindAnswers] = max(ratios[kindAnswers], g.answers.Fullness())
		for family, room := range g.slots {
			ratios[kindOf[family]] = max(ratios[kindOf[family]], room.Fullness())
		}
	}
	for kind, limit := range limits {
		ch <- prometheus.MustNewConstMetric(c.limit, prometheus.GaugeValue, float64(limit), kind)
	}
	for kind, ratio := range ratios {
		ch <- prometheus.MustNewConstMetric(c.ratio, prometheus.GaugeValue, ratio, kind)
	}
}
