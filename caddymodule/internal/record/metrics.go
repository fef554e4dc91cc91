package record

import (
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/fill"
	"github.com/fielato/fielato/caddymodule/internal/metrics"
	"github.com/fielato/fielato/caddymodule/internal/outcome"
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
		"Vouchers that the service judged, by type and Resultado. A range counts once. Neither a repeat counts nor one whose Resultado was found out after the client had its answer.",
		[]string{"cbte_tipo", "resultado"}, metrics.Combinations(voucherLabels(), []string{wsfev1.Aprobado, wsfev1.Rechazado}))
	failures = metrics.Counters("wsfev1_failures_total",
		"Exchanges that failed, by failure class, including the gateway's own questions.", []string{"class"}, metrics.Singly(outcome.Words(audit.FailureClasses)...))
)

// Collectors returns the collectors of exchanges.
func Collectors() []prometheus.Collector {
	return []prometheus.Collector{
		exchanges, exchangeDuration, upstreamDuration, findings, agreement, vouchers, failures, serviceCodes, serviceServers, serviceNotices,
	}
}

// CountTurnedAway counts a request that was refused because no trail was open.
func CountTurnedAway() {
	exchanges.WithLabelValues("unknown", string(audit.OutcomeUnrecorded)).Inc()
	failures.WithLabelValues(string(audit.FailureGateway)).Inc()
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

// Count counts an exchange that has its answer.
func (f *Facts) Count(now time.Time) {
	name := f.OperationName()
	class, took := f.Failure(), now.Sub(f.Started)
	exemplar := f.exemplar(class, took)
	if !f.Own {
		f.countForClient(name, took, exemplar)
	}
	if class != "" {
		failures.WithLabelValues(string(class)).Inc()
	}
	if f.Sent.Forwarded {
		metrics.Observe(upstreamDuration.WithLabelValues(name), f.Sent.Duration.Seconds(), exemplar)
	}
	for i := range f.Findings {
		findings.WithLabelValues(f.Findings[i].Code, string(f.Findings[i].Action)).Inc()
	}
	if f.Decision.Operation == nil || f.Decision.Operation.Family != wsfev1.FamilyIssuing || !f.Sent.Forwarded || f.Result.Reply.Status != http.StatusOK {
		return
	}
	for _, v := range f.Result.Verdict.Invoices {
		if v.Resultado == wsfev1.Aprobado || v.Resultado == wsfev1.Rechazado {
			vouchers.WithLabelValues(metrics.VoucherLabel(f.Decision.Subject.CbteTipo), v.Resultado).Inc()
		}
	}
}

// countForClient counts an exchange that a client has asked for.
func (f *Facts) countForClient(name string, took time.Duration, exemplar prometheus.Labels) {
	if f.Result.Outcome == audit.OutcomeUnknown {
		metrics.Inc(exchanges.WithLabelValues(name, string(f.Result.Outcome)), exemplar)
	} else {
		exchanges.WithLabelValues(name, string(f.Result.Outcome)).Inc()
	}
	sent := f.Sent.Forwarded && f.Result.Certainty != audit.NotSent
	metrics.Observe(exchangeDuration.WithLabelValues(name, strconv.FormatBool(sent)), took.Seconds(), exemplar)
}
