package caddymodule

import (
	"slices"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/fielato/fielato/wsfev1"
)

var failures = prometheus.NewCounterVec(prometheus.CounterOpts{
	Name: "wsfev1_failures_total",
	Help: "Exchanges that failed, the gateway's own questions included, by whose matter it is.",
}, []string{"class"})

func init() {
	for _, class := range failureClasses {
		failures.WithLabelValues(class)
	}
	collectors = append(collectors, failures)
}

// failure returns the class of an exchange that has its answer, no text if it has not
// failed. What went wrong on the way to the service counts also where the answer was
// recovered.
func (x *exchange) failure() string {
	switch {
	case x.lossClass != "":
		return x.lossClass
	case x.fault != nil && x.outcome == outcomeUpstreamError:
		return failureGateway // a mistake of our own
	}
	switch x.outcome {
	case outcomeInadmissible, outcomeMalformed, outcomeConflict:
		return failureClient
	case outcomeUnrecorded, outcomeBusy:
		return failureGateway
	case outcomeUnsettled, outcomeOutage:
		return failureService
	case outcomeRejected, outcomeRefused, outcomePartial:
		return failureOfCodes(x.verdict.Codes)
	}
	return ""
}

// answerLoss classes an answer of the upstream that is of no use, no text for any other.
func (x *exchange) answerLoss() string {
	if x.outcome == outcomeUpstreamError || slices.ContainsFunc(x.verdict.Codes, isServiceFailure) {
		return failureService
	}
	return ""
}

// isEvidence reports whether an exchange says something about what issuing needs: FEDummy
// answers also where nothing else does, and the tables come from elsewhere.
func (x *exchange) isEvidence() bool {
	return x.forwarded && x.operation.Family != wsfev1.FamilyHealth && x.operation.Family != wsfev1.FamilyTable
}
