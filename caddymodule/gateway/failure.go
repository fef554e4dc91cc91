package gateway

import (
	"slices"

	"github.com/fielato/fielato/caddymodule/metrics"
	"github.com/fielato/fielato/caddymodule/outcome"
	"github.com/fielato/fielato/wsfev1"
)

var failures = metrics.Counters("wsfev1_failures_total",
	"Exchanges that failed, the gateway's own questions included, by whose matter it is.", []string{"class"}, metrics.Singly(outcome.FailureClasses...))

// failure returns the class of an exchange that has its answer, no text if it has not
// failed. What went wrong on the way to the service counts also where the answer was
// recovered.
func (x *exchange) failure() string {
	switch {
	case x.lossClass != "":
		return x.lossClass
	case x.fault != nil && x.outcome == outcome.UpstreamError:
		return outcome.FailureGateway // a mistake of our own
	}
	switch x.outcome {
	case outcome.Inadmissible, outcome.Malformed, outcome.Conflict:
		return outcome.FailureClient
	case outcome.Unrecorded, outcome.Busy:
		return outcome.FailureGateway
	case outcome.Unsettled, outcome.Outage:
		return outcome.FailureService
	case outcome.Rejected, outcome.Refused, outcome.Partial:
		return outcome.FailureOfCodes(x.verdict.Codes)
	}
	return ""
}

// answerLoss classes an answer of the upstream that is of no use, no text for any other.
func (x *exchange) answerLoss() string {
	if x.outcome == outcome.UpstreamError || slices.ContainsFunc(x.verdict.Codes, outcome.IsServiceFailure) {
		return outcome.FailureService
	}
	return ""
}

// isEvidence reports whether an exchange says something about what issuing needs: FEDummy
// answers also where nothing else does, and the tables come from elsewhere.
func (x *exchange) isEvidence() bool {
	return x.forwarded && x.operation.Family != wsfev1.FamilyHealth && x.operation.Family != wsfev1.FamilyTable
}
