package caddymodule

import (
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/fielato/fielato/caddymodule/outcome"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/validate/rules"
	"github.com/fielato/fielato/wsfev1"
)

// The collectors live as long as the process, so that their values survive a
// reload: every configuration registers them anew with its own registry.
var (
	ticketExpiry = newExpiryCollector(time.Now)

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

// upstreamBuckets reach beyond the minute that the service can take.
var upstreamBuckets = []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2, 3, 5, 8, 10, 15, 20, 30, 45, 60, 120}

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
		for _, outcome := range outcome.All {
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

func codeLabel(code int32) string { return strconv.Itoa(int(code)) }

func voucherLabel(cbteTipo int32) string {
	if wsfev1.ClassOf(cbteTipo) == "" {
		return labelOther
	}
	return strconv.Itoa(int(cbteTipo))
}
