package gateway

import (
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/checkpoint"
	"github.com/fielato/fielato/caddymodule/internal/fill"
	"github.com/fielato/fielato/caddymodule/internal/metrics"
	"github.com/fielato/fielato/caddymodule/internal/outcome"
	"github.com/fielato/fielato/caddymodule/internal/tickets"
	"github.com/fielato/fielato/caddymodule/internal/trail"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/validate/rules"
	"github.com/fielato/fielato/wsfev1"
)

// The collectors live as long as the process, so that their values survive a
// reload: every configuration registers them anew with its own registry.
var (
	exchanges = metrics.Counters("wsfev1_exchanges_total",
		"Exchanges with clients, by operation and outcome. The gateway's own questions are not counted.",
		[]string{"operation", "outcome"}, metrics.Combinations(operationLabels(), outcome.Words(audit.Outcomes)))
	exchangeDuration = metrics.Histograms("wsfev1_exchange_duration_seconds",
		"Time from the arrival of a client's request to its recorded answer, in seconds. sent: whether anything was sent to the service.",
		metrics.UpstreamBuckets, []string{"operation", "sent"}, metrics.Combinations(operationLabels(), []string{"true", "false"}))
	upstreamDuration = metrics.Histograms("wsfev1_upstream_duration_seconds",
		"Time that the next handler took, in seconds, including for the gateway's own questions.",
		metrics.UpstreamBuckets, []string{"operation"}, metrics.Singly(operationLabels()...))
	findings = metrics.Counters("wsfev1_findings_total",
		"Findings, by code and by the action taken.",
		[]string{"code", "action"}, metrics.Combinations(findingCodes(), []string{string(validate.ActionRefuse), string(validate.ActionObserve)}))
	agreement = metrics.Counters("wsfev1_rule_agreement_total",
		"Invoices on which the gateway, the service or both found a code, of those that both judged.",
		[]string{"code", "gateway", "upstream"}, agreementLabels())
	vouchers = metrics.Counters("wsfev1_vouchers_total",
		"Invoices that the service judged, by type and Resultado.",
		[]string{"cbte_tipo", "resultado"}, metrics.Combinations(voucherLabels(), []string{wsfev1.Aprobado, wsfev1.Rechazado}))
	ticketExpiry = metrics.NewExpiryCollector(time.Now)
)

// Collectors returns the collectors of wsfev1, including the collectors of its trails.
func Collectors() []prometheus.Collector {
	return slices.Concat([]prometheus.Collector{
		exchanges, exchangeDuration, upstreamDuration, findings, agreement, ticketExpiry, vouchers,
		ruleBegins, failures, cacheRequests, tableChanges, tableDifferences, inFlight, slots, serviceCodes, serviceServers, serviceNotices,
	}, metrics.ProcessCollectors(), trail.Collectors(), checkpoint.Collectors(), tickets.Collectors())
}

// operationLabels are the values of the label operation.
func operationLabels() []string {
	names := []string{"unknown"}
	for _, op := range wsfev1.Operations {
		names = append(names, op.Name)
	}
	return names
}

// findingCodes returns the codes that a finding of the gateway may have.
func findingCodes() []string {
	codes := append(validate.ShapeCodes(), outcome.CodeMismatch, validate.TicketCode, fill.CodeFilled, fill.CodeUnfit)
	for _, rule := range rules.Catalogue() {
		if code := metrics.CodeLabel(rule.Code); rule.DecidedAt == rules.Edge && !slices.Contains(codes, code) {
			codes = append(codes, code)
		}
	}
	return codes
}

// agreementLabels are the values of the labels of agreement.
func agreementLabels() (all [][]string) {
	for _, rule := range rules.Catalogue() {
		if rule.DecidedAt == rules.Edge {
			for _, who := range agreementPairs {
				all = append(all, []string{metrics.CodeLabel(rule.Code), who[0], who[1]})
			}
		}
	}
	return all
}

// voucherLabels are the values of the label cbte_tipo.
func voucherLabels() (all []string) {
	for _, t := range append(wsfev1.VoucherTypes(), 0) {
		all = append(all, metrics.VoucherLabel(t))
	}
	return all
}

// count counts an exchange that has its answer.
func (x *exchange) count() {
	name := x.operationName()
	class, took := x.failure(), x.gateway.now().Sub(x.begun)
	exemplar := x.exemplar(class, took)
	if !x.internal {
		x.countForClient(name, took, exemplar)
	}
	if class != "" {
		failures.WithLabelValues(string(class)).Inc()
	}
	if x.sent.Forwarded {
		metrics.Observe(upstreamDuration.WithLabelValues(name), x.sent.Duration.Seconds(), exemplar)
	}
	for _, f := range x.findings {
		findings.WithLabelValues(f.Code, string(f.Action)).Inc()
	}
	if x.in.Operation == nil || x.in.Operation.Family != wsfev1.FamilyIssuing || !x.sent.Forwarded || x.reply.Status != http.StatusOK {
		return
	}
	for _, v := range x.answer.verdict.Invoices {
		if v.Resultado == wsfev1.Aprobado || v.Resultado == wsfev1.Rechazado {
			vouchers.WithLabelValues(metrics.VoucherLabel(x.in.Subject.CbteTipo), v.Resultado).Inc()
		}
	}
}

// countForClient counts an exchange that a client has asked for.
func (x *exchange) countForClient(name string, took time.Duration, exemplar prometheus.Labels) {
	if x.outcome == audit.OutcomeUnknown {
		metrics.Inc(exchanges.WithLabelValues(name, string(x.outcome)), exemplar)
	} else {
		exchanges.WithLabelValues(name, string(x.outcome)).Inc()
	}
	sent := x.sent.Forwarded && x.sent.Certainty != audit.NotSent
	metrics.Observe(exchangeDuration.WithLabelValues(name, strconv.FormatBool(sent)), took.Seconds(), exemplar)
}
