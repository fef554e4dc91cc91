package gateway

import (
	"slices"

	"github.com/fielato/fielato/caddymodule/internal/metrics"
	"github.com/fielato/fielato/caddymodule/internal/outcome"
	"github.com/fielato/fielato/wsfev1"
)

var failures = metrics.Counters("wsfev1_failures_total",
	"Exchanges that failed, by failure class, including the gateway's own questions.", []string{"class"}, metrics.Singly(outcome.Words(outcome.FailureClasses)...))

// failure returns the failure class of an exchange that has its answer, empty if it has not
// failed. A failure on the way to the service counts also if the answer was recovered.
func (x *exchange) failure() outcome.Failure {
	switch {
	case x.sent.lossClass != "":
		return x.sent.lossClass
	case x.refusal != nil && x.outcome == outcome.UpstreamError:
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
		return outcome.FailureOfCodes(x.answer.verdict.Codes)
	case outcome.NotIssued, outcome.UpstreamError:
		if x.answer.reading.Refuses {
			return outcome.FailureOfCodes(x.answer.verdict.Codes)
		}
	}
	return ""
}

// answerLoss returns the failure class of an unusable answer of the upstream, empty for any
// other.
func (x *exchange) answerLoss() outcome.Failure {
	if x.refuses() {
		return "" // it answers
	}
	if x.outcome == outcome.UpstreamError || slices.ContainsFunc(x.answer.verdict.Codes, outcome.IsServiceFailure) {
		return outcome.FailureService
	}
	return ""
}

// isEvidence reports whether an exchange shows if issuing works. FEDummy is answered also when
// nothing else is, and the tables come from other servers.
func (x *exchange) isEvidence() bool {
	return x.sent.forwarded && x.in.operation.Family != wsfev1.FamilyHealth && x.in.operation.Family != wsfev1.FamilyTable
}
