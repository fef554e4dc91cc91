package record

import (
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/metrics"
	"github.com/fielato/fielato/validate/rules"
	"github.com/fielato/fielato/wsfev1"
)

var (
	serviceCodes = metrics.Counters("wsfev1_service_codes_total",
		"Codes in the service's answers (Errors and Observaciones), including answers to the gateway's own questions. Codes that the catalogue lacks count as other.",
		[]string{"code"}, metrics.Singly(serviceCodeLabels()...))
	serviceServers = &serverCollector{description: prometheus.NewDesc("wsfev1_service_server_up",
		"Whether a server of the service said OK (1) or not (0) in the newest answer to FEDummy. Absent before the first answer.", []string{"server"}, nil)}
)

// serviceCodeLabels are the values of the label code. Only codes of the catalogue have their own.
func serviceCodeLabels() []string {
	labels := []string{metrics.Other}
	for _, rule := range rules.Catalogue() {
		labels = append(labels, metrics.CodeLabel(rule.Code))
	}
	return labels
}

// countService counts the codes of the service's answer, and notes an answer to FEDummy.
func (f *Facts) countService() {
	for _, code := range f.Result.Verdict.Codes {
		label := metrics.Other
		if _, ok := rules.RuleByCode(code); ok {
			label = metrics.CodeLabel(code)
		}
		serviceCodes.WithLabelValues(label).Inc()
	}
	if answer, ok := f.Result.Typed.(*wsfev1.FEDummyAnswer); ok && f.Result.Outcome == audit.OutcomeAnswered {
		serviceServers.newest.Store(answer)
	}
}

// serverCollector exports the newest answer to FEDummy.
type serverCollector struct {
	description *prometheus.Desc
	newest      atomic.Pointer[wsfev1.FEDummyAnswer]
}

// Describe implements prometheus.Collector.
func (c *serverCollector) Describe(ch chan<- *prometheus.Desc) { ch <- c.description }

// Collect implements prometheus.Collector.
func (c *serverCollector) Collect(ch chan<- prometheus.Metric) {
	answer := c.newest.Load()
	if answer == nil {
		return
	}
	for server, said := range map[string]string{"app": answer.AppServer, "db": answer.DbServer, "auth": answer.AuthServer} {
		up := 0.0
		if said == "OK" {
			up = 1
		}
		ch <- prometheus.MustNewConstMetric(c.description, prometheus.GaugeValue, up, server)
	}
}
