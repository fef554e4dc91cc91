package gateway

import (
	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/metrics"
	"github.com/fielato/fielato/caddymodule/internal/outcome"
	"github.com/fielato/fielato/wsfev1"
)

var failures = metrics.Counters("wsfev1_failures_total",
	"Exchanges that failed, by failure class, including the gateway's own questions.", []string{"class"}, metrics.Singly(outcome.Words(audit.FailureClasses)...))

// failure returns the failure class of an exchange that has its answer, empty if it has not
// failed. A failure on the way to the service counts also if the answer was recovered.
func (x *exchange) failure() audit.Failure {
	switch {
	case x.sent.Failure != "":
		return x.sent.Failure
	case x.refusal != nil && x.outcome == audit.OutcomeUpstreamError:
		return audit.FailureGateway // a mistake of our own
	}
	switch x.outcome {
	case audit.OutcomeInadmissible, audit.OutcomeMalformed, audit.OutcomeConflict:
		return audit.FailureClient
	case audit.OutcomeUnrecorded, audit.OutcomeBusy:
		return audit.FailureGateway
	case audit.OutcomeUnsettled, audit.OutcomeOutage:
		return audit.FailureService
	case audit.OutcomeRejected, audit.OutcomeRefused, audit.OutcomePartial:
		return outcome.FailureOfCodes(x.answer.verdict.Codes)
	case audit.OutcomeNotIssued, audit.OutcomeUpstreamError:
		if x.answer.reading.Refuses {
			return outcome.FailureOfCodes(x.answer.verdict.Codes)
		}
	}
	return ""
}

// isEvidence reports whether an exchange shows if issuing works. FEDummy is answered also when
// nothing else is, and the tables come from other servers.
func (x *exchange) isEvidence() bool {
	return x.sent.Forwarded && x.in.Operation.Family != wsfev1.FamilyHealth && x.in.Operation.Family != wsfev1.FamilyTable
}
