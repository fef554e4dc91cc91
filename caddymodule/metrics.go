package caddymodule

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/validate/rules"
	"github.com/fielato/fielato/wsfev1"
)

// The collectors live as long as the process, so that their values survive a
// reload: every configuration registers them anew with its own registry.
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
	ticketExpiry = newExpiryCollector(time.Now)
	vouchers     = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "wsfev1_vouchers_total",
		Help: "Invoices that the service gave a verdict on, by type and Resultado.",
	}, []string{"cbte_tipo", "resultado"})
	appendDuration = prometheus.NewHistogram(histogram("wsfev1_audit_append_duration_seconds",
		"Time that a commit of the trail took, in seconds.", appendBuckets))
	auditRecords = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "wsfev1_audit_records_total",
		Help: "Records that were appended to the trail, or could not be.",
	}, []string{"result"})
	pendingOutcomes = prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "wsfev1_audit_pending_outcomes",
		Help: "Records that are owed to the trail: outcomes that it has not taken yet, and with on_failure forward all others.",
	})
	unrecordedExchanges = prometheus.NewCounter(prometheus.CounterOpts{
		Name: "wsfev1_audit_unrecorded_total",
		Help: "Exchanges that went on, or were answered, without a durable record.",
	})
	lostRecords = prometheus.NewCounter(prometheus.CounterOpts{
		Name: "wsfev1_audit_lost_records_total",
		Help: "Records that were owed to the trail and will never be in it.",
	})

	// collectors are those of wsfev1; the files by subject add theirs.
	collectors = []prometheus.Collector{
		exchanges, exchangeDuration, upstreamDuration, findings, agreement, ticketExpiry, vouchers,
		appendDuration, auditRecords, pendingOutcomes,
		unrecordedExchanges, lostRecords, panicsTotal,
		checkpointPosts, checkpointKept,
	}
	// backendCollectors are those of wsfev1_backend.
	backendCollectors = []prometheus.Collector{clockAhead, faultsActive, faultsInjected}
)

var (
	// upstreamBuckets reach beyond the minute that the service can take.
	upstreamBuckets = []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2, 3, 5, 8, 10, 15, 20, 30, 45, 60, 120}
	appendBuckets   = []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, 1, 5}
)

// histogram returns the options of a histogram with classic buckets, for every
// scraper, and a native one beside them, for those that can read it.
func histogram(name, help string, buckets []float64) prometheus.HistogramOpts {
	return prometheus.HistogramOpts{
		Name: name, Help: help, Buckets: buckets,
		NativeHistogramBucketFactor: 1.1, NativeHistogramMaxBucketNumber: 100, NativeHistogramMinResetDuration: time.Hour,
	}
}

// labelOther stands for a value outside of the list that bounds a label.
const labelOther = "other"

// registerMetrics registers collectors with the registry of a configuration; several
// handlers of one configuration share them.
func registerMetrics(registry *prometheus.Registry, collectors ...prometheus.Collector) error {
	if registry == nil {
		return nil
	}
	for _, c := range collectors {
		var already prometheus.AlreadyRegisteredError
		if err := registry.Register(safeCollector{c}); err != nil && !errors.As(err, &already) {
			return fmt.Errorf("registering metrics: %w", err)
		}
	}
	return nil
}

// Every value of a label is there from the start: a dashboard shows zeros, not gaps.
func init() {
	names := []string{"unknown"}
	for _, op := range wsfev1.Operations {
		names = append(names, op.Name)
	}
	for _, name := range names {
		for _, outcome := range outcomes {
			exchanges.WithLabelValues(name, outcome)
		}
		exchangeDuration.WithLabelValues(name, "true")
		exchangeDuration.WithLabelValues(name, "false")
		upstreamDuration.WithLabelValues(name)
	}
	for code := range findingCodes {
		for _, action := range []validate.Action{validate.ActionRefuse, validate.ActionObserve} {
			findings.WithLabelValues(code, string(action))
		}
	}
	for _, rule := range rules.Catalogue() {
		if rule.DecidedAt == rules.Edge {
			for _, who := range whoFound {
				agreement.WithLabelValues(codeLabel(rule.Code), who[0], who[1])
			}
		}
	}
	for _, t := range append(wsfev1.VoucherTypes(), 0) {
		for _, resultado := range []string{wsfev1.Aprobado, wsfev1.Rechazado} {
			vouchers.WithLabelValues(voucherLabel(t), resultado)
		}
	}
	for _, result := range []string{resultWritten, resultFailed} {
		auditRecords.WithLabelValues(result)
	}
}

const (
	resultWritten = "written"
	resultFailed  = "failed"
)

var findingCodes = func() map[string]struct{} {
	codes := map[string]struct{}{}
	for _, code := range validate.ShapeCodes() {
		codes[code] = struct{}{}
	}
	codes[codeMismatch] = struct{}{}
	for _, rule := range rules.Catalogue() {
		if rule.DecidedAt == rules.Edge {
			codes[codeLabel(rule.Code)] = struct{}{}
		}
	}
	codes[validate.TicketCode] = struct{}{}
	return codes
}()

func codeLabel(code int32) string { return strconv.Itoa(int(code)) }

func voucherLabel(cbteTipo int32) string {
	if wsfev1.ClassOf(cbteTipo) == "" {
		return labelOther
	}
	return strconv.Itoa(int(cbteTipo))
}

// observeAppend is called by the trail after each of its commits.
func observeAppend(records int, took time.Duration, err error) {
	appendDuration.Observe(took.Seconds())
	result := resultWritten
	if err != nil {
		result = resultFailed
	}
	auditRecords.WithLabelValues(result).Add(float64(records))
}

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
	if x.outcome == outcomeUnknown {
		countWith(exchanges.WithLabelValues(name, x.outcome), exemplar)
	} else {
		exchanges.WithLabelValues(name, x.outcome).Inc()
	}
	sent := x.forwarded && x.certainty != audit.NotSent
	observeWith(exchangeDuration.WithLabelValues(name, strconv.FormatBool(sent)), took.Seconds(), exemplar)
}
