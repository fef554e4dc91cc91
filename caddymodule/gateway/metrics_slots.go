package gateway

import (
	"cmp"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/fielato/fielato/caddymodule/internal/exchange"
)

// kindBodies and kindAnswers are kinds of the ratio only: their limits are in bytes.
const (
	kindBodies  = "bodies"
	kindAnswers = "answers"
)

var slots = &slotCollector{
	limit: prometheus.NewDesc("wsfev1_in_flight_limit",
		"Most requests of each kind at the service at a time, summed over all gateways of the configuration.", []string{"kind"}, nil),
	ratio: prometheus.NewDesc("wsfev1_in_flight_ratio",
		"Share of in_flight, max_bodies (kind bodies) and max_answers (kind answers) in use, 0 to 1, in the gateway where it is largest.", []string{"kind"}, nil),
}

// slotCollector exports the limits of the newest configuration, and the used share of them.
type slotCollector struct{ limit, ratio *prometheus.Desc }

// Describe implements prometheus.Collector.
func (c *slotCollector) Describe(ch chan<- *prometheus.Desc) {
	ch <- c.limit
	ch <- c.ratio
}

// Collect implements prometheus.Collector.
func (c *slotCollector) Collect(ch chan<- prometheus.Metric) {
	limits := map[string]int{exchange.KindIssuing: 0, exchange.KindTables: 0, exchange.KindQueries: 0}
	ratios := map[string]float64{exchange.KindIssuing: 0, exchange.KindTables: 0, exchange.KindQueries: 0, kindBodies: 0, kindAnswers: 0}
	for _, g := range runningGateways() {
		limits[exchange.KindIssuing] += cmp.Or(g.InFlight.Issuing, defaultIssuing)
		limits[exchange.KindTables] += cmp.Or(g.InFlight.Tables, defaultTables)
		limits[exchange.KindQueries] += cmp.Or(g.InFlight.Queries, defaultQueries)
		ratios[kindBodies] = max(ratios[kindBodies], g.way.Bodies.Fullness())
		ratios[kindAnswers] = max(ratios[kindAnswers], g.way.Answers.Fullness())
		for family, room := range g.way.Slots {
			ratios[exchange.KindOf[family]] = max(ratios[exchange.KindOf[family]], room.Fullness())
		}
	}
	for kind, limit := range limits {
		ch <- prometheus.MustNewConstMetric(c.limit, prometheus.GaugeValue, float64(limit), kind)
	}
	for kind, ratio := range ratios {
		ch <- prometheus.MustNewConstMetric(c.ratio, prometheus.GaugeValue, ratio, kind)
	}
}
