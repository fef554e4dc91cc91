package caddymodule

import (
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/outcome"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/validate/rules"
	"github.com/fielato/fielato/wsfev1"
)

var (
	exchanges = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "wsfev1_exchanges_total",
		Help: "Exchanges with clients by operation and by what became of them. The gateway's own questions are not counted.",
	}, []string{"operation", "outcome"})
	exchangeDuration = prometheus.NewHistogramVec(histogram("wsfev1_exchange_duration_seconds",
		"Time from the arrival of a client's request to its recorded answer, in seconds; sent: whether anything left for the service, or the gateway answered by itself.",
		upstreamBuckets), []string{"operation", "sent"})
	upstreamDuration = prometheus.NewHistogramVec(histogram("wsfev1_upstream_duration_seconds",
		"Time that the next handler took, in seconds, also for the gateway's own questions.", upstreamBuckets), []string{"operation"})
	findings = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "wsfev1_findings_total",
		Help: "Findings by code and by what was made of them.",
	}, []string{"code", "action"})
	agreement = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "wsfev1_rule_agreement_total",
		Help: "Invoices on which the gateway, the upstream or both found a code, of those that both looked at.",
	}, []string{"code", "gateway", "upstream"})
	vouchers = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "wsfev1_vouchers_total",
		Help: "Invoices that the service gave a verdict on, by type and Resultado.",
	}, []string{"cbte_tipo", "resultado"})
)

var findingCodes = func() map[string]struct{} {
	codes := map[string]struct{}{}
	for _, code := range validate.ShapeCodes() {
		codes[code] = struct{}{}
	}
	codes[outcome.CodeMismatch] = struct{}{}
	for _, rule := range rules.Catalogue() {
		if rule.DecidedAt == rules.Edge {
			codes[codeLabel(rule.Code)] = struct{}{}
		}
	}
	codes[validate.TicketCode] = struct{}{}
	return codes
}()

// count counts an exchange that has its answer.
func (x *exchange) count() {
	name := x.operationName()
	class, took := x.failure(), x.gateway.now().Sub(x.begun)
	exemplar := x.exemplar(class, took)
	if !x.asking {
		x.countForClient(name, took, exemplar)
	}
	if class != "" {
		failures.WithLabelValues(class).Inc()
	}
	if x.forwarded {
		observeWith(upstreamDuration.WithLabelValues(name), x.upstreamDuration.Seconds(), exemplar)
	}
	for _, f := range x.findings {
		findings.WithLabelValues(f.Code, string(f.Action)).Inc()
	}
	if x.operation == nil || x.operation.Family != wsfev1.FamilyIssuing || !x.forwarded || x.reply.status != http.StatusOK {
		return
	}
	for _, v := range x.verdict.Invoices {
		if v.Resultado == wsfev1.Aprobado || v.Resultado == wsfev1.Rechazado {
			vouchers.WithLabelValues(voucherLabel(x.subject.CbteTipo), v.Resultado).Inc()
		}
	}
}

// countForClient counts an exchange that a client has asked for.
func (x *exchange) countForClient(name string, took time.Duration, exemplar prometheus.Labels) {
	if x.outcome == outcome.Unknown {
		countWith(exchanges.WithLabelValues(name, x.outcome), exemplar)
	} else {
		exchanges.WithLabelValues(name, x.outcome).Inc()
	}
	sent := x.forwarded && x.certainty != audit.NotSent
	observeWith(exchangeDuration.WithLabelValues(name, strconv.FormatBool(sent)), took.Seconds(), exemplar)
}
