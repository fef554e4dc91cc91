package tickets

import (
	"net/url"
	"slices"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/fielato/fielato/caddymodule/internal/metrics"
	"github.com/fielato/fielato/wsaa/credential"
	"github.com/fielato/fielato/wsaa/keeper"
)

var events = metrics.Counters("wsfev1_kept_ticket_events_total",
	"What happened to the kept access tickets, by event: logged_in, login_failed, adopted from the store, ticket_refused by the service, store_failed, clock_off, unrepresented, asked for by a person, panicked.",
	[]string{"event"}, metrics.Singly(kinds()...))

func kinds() (names []string) {
	for kind := keeper.LoggedIn; kind <= keeper.Panicked; kind++ {
		names = append(names, kind.String())
	}
	return names
}

// keptLabels name a keeper: the alias of its certificate and the CUIT to which that belongs, and the host
// of its login service. The expiry is a metric, as a renewal would make another series of each.
var keptLabels = []string{"certificate", "cuit", "login"}

// labelsOf returns the values of keptLabels.
func labelsOf(of credential.Identity, address string) [3]string {
	return [3]string{of.Alias, of.CUIT.String(), hostOf(address)}
}

// gauge is a value of a keeper, absent if has is false.
type gauge struct {
	description *prometheus.Desc
	of          func(keeper.Snapshot) (value float64, has bool)
}

func newGauge(name, help string, of func(keeper.Snapshot) (float64, bool)) gauge {
	return gauge{prometheus.NewDesc(name, help, keptLabels, nil), of}
}

// keptCollector collects the gauges of the keepers in use. Of several with one certificate and login
// service it takes the least of each value: the one that needs somebody first.
type keptCollector []gauge

var kept = keptCollector{
	newGauge("wsfev1_certificate_expiry_timestamp_seconds",
		"When the certificate of a kept access ticket expires, in seconds since 1970.",
		func(s keeper.Snapshot) (float64, bool) { return float64(s.Certificate.Expires.Unix()), true }),
	newGauge("wsfev1_kept_ticket_ready",
		"Whether there is an access ticket to use: 1, or 0.",
		func(s keeper.Snapshot) (float64, bool) {
			if s.Ready {
				return 1, true
			}
			return 0, true
		}),
	newGauge("wsfev1_kept_ticket_expiry_timestamp_seconds",
		"When the kept access ticket expires, in seconds since 1970. Absent while there is none.",
		func(s keeper.Snapshot) (float64, bool) {
			return float64(s.Expiration.Unix()), !s.Expiration.IsZero()
		}),
	newGauge("wsfev1_kept_ticket_clock_skew_seconds",
		"How far the authority's clock is ahead of this machine's. Absent before the first login.",
		func(s keeper.Snapshot) (float64, bool) { return s.Skew.Seconds(), s.Measured }),
}

// Describe implements prometheus.Collector.
func (c keptCollector) Describe(ch chan<- *prometheus.Desc) {
	for _, g := range c {
		ch <- g.description
	}
}

// Collect implements prometheus.Collector.
func (c keptCollector) Collect(ch chan<- prometheus.Metric) {
	all := Snapshots()
	for _, g := range c {
		least := map[[3]string]float64{}
		for _, s := range all {
			name := labelsOf(s.Certificate, s.URL)
			value, has := g.of(s)
			if known, twice := least[name]; has && (!twice || value < known) {
				least[name] = value
			}
		}
		for name, value := range least {
			ch <- prometheus.MustNewConstMetric(g.description, prometheus.GaugeValue, value, name[:]...)
		}
	}
}

// loginsCollector counts the logins with each certificate in use.
type loginsCollector struct{}

var logins = prometheus.NewDesc("wsfev1_kept_ticket_logins_total",
	"Logins of the gateway at WSAA, by certificate: granted, or failed. They count from when the configuration has begun to use it.", append(slices.Clone(keptLabels), "result"), nil)

// Describe implements prometheus.Collector.
func (loginsCollector) Describe(ch chan<- *prometheus.Desc) { ch <- logins }

// Collect implements prometheus.Collector.
func (loginsCollector) Collect(ch chan<- prometheus.Metric) {
	counts := map[[3]string][2]uint64{}
	for _, p := range lent.All() {
		name := labelsOf(p.options.identity, p.options.at.URL)
		sum := counts[name]
		counts[name] = [2]uint64{sum[0] + p.granted.Load(), sum[1] + p.failed.Load()}
	}
	for name, sum := range counts {
		for i, result := range []string{Granted, Failed} {
			ch <- prometheus.MustNewConstMetric(logins, prometheus.CounterValue, float64(sum[i]), append(name[:], result)...)
		}
	}
}

// hostOf returns the host of an address.
func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Host
}

// Collectors returns the collectors of the keepers.
func Collectors() []prometheus.Collector {
	return []prometheus.Collector{events, &kept, loginsCollector{}, unusableCollector{}}
}

// Snapshots returns the state of the keepers that live, for a page.
func Snapshots() (all []keeper.Snapshot) {
	for _, k := range live.All() {
		all = append(all, k.Snapshot())
	}
	return all
}

// unusableCollector tells of each block whether its certificate cannot be used.
type unusableCollector struct{}

var unusable = prometheus.NewDesc("wsfev1_certificate_unusable",
	"Whether the certificate of a block wsaa cannot be used: 1, or 0. file is as the configuration has it.", []string{"file", "login"}, nil)

// Describe implements prometheus.Collector.
func (unusableCollector) Describe(ch chan<- *prometheus.Desc) { ch <- unusable }

// Collect implements prometheus.Collector.
func (unusableCollector) Collect(ch chan<- prometheus.Metric) {
	most := map[[2]string]float64{}
	for _, b := range blocks.All() {
		name := [2]string{b.options.Certificate, hostOf(b.options.at.URL)}
		if most[name] += 0; b.state().problem != nil {
			most[name] = 1
		}
	}
	for name, value := range most {
		ch <- prometheus.MustNewConstMetric(unusable, prometheus.GaugeValue, value, name[0], name[1])
	}
}
