package access

import (
	"slices"
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/fielato/fielato/caddymodule/internal/metrics"
	"github.com/fielato/fielato/internal/limit"
)

// live are the tables of the gateways that run.
var live metrics.Live[*Access]

// unknownSenders counts requests of those who are no client.
var unknownSenders atomic.Uint64

var (
	requests = prometheus.NewDesc("wsfev1_client_requests_total",
		"Requests of the clients, by client and result: admitted, or why not: rate, share, or the right that is missing (cuits, may, pto_vta, cbte_tipo, max_amount). "+
			"A table of up to 1000 clients has all results that are possible for each from its load on; of a larger one, a client without any request so far is absent.", []string{"client", "result"}, nil)
	slotsTaken = prometheus.NewDesc("wsfev1_client_slots",
		"Requests that issue and are at the service now, by client. Absent for clients without any request so far.", []string{"client"}, nil)
	waiting = prometheus.NewDesc("wsfev1_client_waiting",
		"Requests that wait for their client's share or for a slot at the service now, by client. Absent for clients without any request so far.", []string{"client"}, nil)
	failed = prometheus.NewDesc("wsfev1_clients_file_failed",
		"Whether the file of clients as it is now cannot be used, so that the clients stay as they were: 1, or 0.", nil, nil)
	unknown = prometheus.NewDesc("wsfev1_client_unknown_total",
		"Requests refused because nothing that was proven about who sends them is an identity of a client. Absent without clients.", nil, nil)
	rows = prometheus.NewDesc("wsfev1_clients",
		"Clients of the tables of all gateways.", nil, nil)
)

// collector collects the gauges and counters of all tables.
type collector struct{}

// Describe implements prometheus.Collector.
func (collector) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{requests, slotsTaken, waiting, failed, unknown, rows} {
		ch <- d
	}
}

// Collect implements prometheus.Collector.
func (collector) Collect(ch chan<- prometheus.Metric) {
	tables := live.All()
	if len(tables) == 0 {
		return
	}
	known, problem, number := map[string]bool{}, 0.0, 0
	taken, waits := map[string]int{}, map[string]int{}
	for _, a := range tables {
		for client := range a.current.Load().visits {
			known[client.Name] = true
			number++
		}
		if a.Problem() != nil {
			problem = 1
		}
		for _, u := range a.slots.Issuing.Usage() {
			taken[u.Client] += u.Taken
			waits[u.Client] += u.Waiting
		}
		for _, l := range slices.Concat(a.slots.Others, []*limit.Limit{a.inside}) {
			for _, u := range l.Usage() {
				waits[u.Client] += u.Waiting
			}
		}
	}
	ch <- prometheus.MustNewConstMetric(failed, prometheus.GaugeValue, problem)
	ch <- prometheus.MustNewConstMetric(unknown, prometheus.CounterValue, float64(unknownSenders.Load()))
	ch <- prometheus.MustNewConstMetric(rows, prometheus.GaugeValue, float64(number))
	for name := range known {
		byResult, all := countsOf(name).snapshot()
		for result, n := range byResult {
			ch <- prometheus.MustNewConstMetric(requests, prometheus.CounterValue, float64(n), name, result)
		}
		if all > 0 {
			ch <- prometheus.MustNewConstMetric(slotsTaken, prometheus.GaugeValue, float64(taken[name]), name)
			ch <- prometheus.MustNewConstMetric(waiting, prometheus.GaugeValue, float64(waits[name]), name)
		}
	}
}

// Collectors returns the collectors of the clients.
func Collectors() []prometheus.Collector { return []prometheus.Collector{collector{}} }
