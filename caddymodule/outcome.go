package caddymodule

import (
	"errors"
	"net/http"
	"slices"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp/reverseproxy"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/wsfev1"
)

// statusClientGone is what reverse_proxy writes when its client has left.
const statusClientGone = 499

// departure is how the next handler came back: by one of four doors.
type departure struct {
	// err is what it returned, panicked what it panicked with.
	err      error
	panicked any
	// status is the status it wrote, 0 if none.
	status int
	// unhandled tells that no handler was there to answer.
	unhandled bool
	// upstream tells that reverse_proxy had chosen an upstream.
	upstream bool
	// sought, wrote and answered are the wire's facts.
	sought, wrote, answered bool
	// unnamed tells that the upstream's name did not resolve.
	unnamed bool
	// whole tells that the whole of the request may have been sent; refused why the gateway
	// did not let it go, nil if it did.
	whole   bool
	refused error
	// cut says why the gateway has not read all of the answer, nil if it has.
	cut error
}

// certainty tells what is certain about the wire. It reads facts, not error texts.
func (d departure) certainty() audit.Certainty {
	certainty := d.afterDoor()
	if certainty == audit.Unknown && !d.whole {
		// Whatever has left: without the end of the document nobody can carry it out, and
		// the end leaves no more.
		return audit.NotSent
	}
	return certainty
}

// afterDoor is certainty as far as the way tells by which the handler came back.
func (d departure) afterDoor() audit.Certainty {
	switch {
	case d.panicked != nil, d.cut != nil:
		// The answer broke off: it was processed, but what was said is lost.
		return audit.Unknown
	case d.err != nil:
		return d.afterError()
	case d.unhandled, d.status == 0:
		return d.withoutAnswer()
	case d.status == statusClientGone && !d.answered && (d.wrote || d.upstream):
		return audit.Unknown
	}
	return audit.Answered
}

// withoutAnswer is about a handler that returned without error and wrote nothing.
// Behind reverse_proxy's handle_response the upstream may have been asked all the
// same.
func (d departure) withoutAnswer() audit.Certainty {
	if d.wrote || d.answered || d.upstream && !d.sought {
		return audit.Unknown
	}
	return audit.NotSent
}

func (d departure) afterError() audit.Certainty {
	var dial reverseproxy.DialError
	switch {
	case d.wrote, d.answered:
		return audit.Unknown
	case d.sought, errors.As(d.err, &dial), !d.upstream:
		// A connection was asked for and nothing was written; or nobody was chosen
		// to be asked.
		return audit.NotSent
	}
	return audit.Unknown // a transport that cannot be traced
}

// Outcomes, the finite list of words for what became of an exchange.
const (
	outcomeApproved      = "approved"       // done, nothing observed: Resultado A, or a CAEA
	outcomeObserved      = "observed"       // done, with Observaciones
	outcomePartial       = "partial"        // Resultado P
	outcomeRejected      = "rejected"       // Resultado R, or Errors, from upstream
	outcomeAnswered      = "answered"       // a query answered with data
	outcomeUpstreamError = "upstream_error" // an answer that is not the operation's
	outcomeInadmissible  = "inadmissible"   // refused before it was read: 403, 404, 405, 413, 415…
	outcomeMalformed     = "malformed"      // refused for its shape
	outcomeRefused       = "refused"        // refused by a rule
	outcomeUnrecorded    = "unrecorded"     // refused because the trail cannot be written
	outcomeNotSent       = "not_sent"
	outcomeUnknown       = "unknown"
	outcomeRecovered     = "recovered"  // no answer came, the service was asked: it was done
	outcomeNotIssued     = "not_issued" // no answer came, the service was asked: it was not
	outcomeReplayed      = "replayed"   // answered as the same request was before
	outcomeCached        = "cached"     // answered as the same question was a while ago
	outcomeConflict      = "conflict"   // refused: another request for the same is open
	outcomeBusy          = "busy"       // refused: those before it take too long
	outcomeUnsettled     = "unsettled"  // refused: what became of one before it is unknown
	outcomeOutage        = "outage"     // refused: the service does not answer
)

var outcomes = []string{
	outcomeApproved, outcomeObserved, outcomePartial, outcomeRejected, outcomeAnswered, outcomeUpstreamError,
	outcomeInadmissible, outcomeMalformed, outcomeRefused, outcomeUnrecorded, outcomeNotSent, outcomeUnknown,
	outcomeRecovered, outcomeNotIssued, outcomeReplayed, outcomeCached, outcomeConflict, outcomeBusy, outcomeUnsettled,
	outcomeOutage,
}

// isServiceFailure reports whether a code says that the service itself failed: what
// was asked may have been done all the same (domain.md §3.13).
func isServiceFailure(code int32) bool { return code >= 500 && code <= 502 }

// noData are the codes of a query that was answered with nothing: what it asked for
// is not there, which is an answer like any other (domain.md §3.13).
var noData = []int32{602}

// declaresErrorBody reports whether the contract declares the error body with this
// status for the operation (interface.md §7): it is an answer then, which rejects.
func declaresErrorBody(op *wsfev1.Operation, status int) bool {
	return op.Name == "FECAEARegInformativo" && status == http.StatusBadRequest
}

// outcomeOf reads the outcome off an answer of the upstream.
func outcomeOf(op *wsfev1.Operation, status int, understood bool, v wsfev1.Verdict) string {
	declared := status == http.StatusOK || declaresErrorBody(op, status) && v.Failed
	switch {
	case !declared, !understood:
		return outcomeUpstreamError
	case op.Effect == wsfev1.EffectChanges && slices.ContainsFunc(v.Codes, isServiceFailure):
		return outcomeUpstreamError
	case op.Effect == wsfev1.EffectNone && (!v.Failed || slices.Equal(v.Codes, noData)):
		return outcomeAnswered
	case v.Resultado == wsfev1.Parcial:
		return outcomePartial
	case v.Resultado == wsfev1.Rechazado || v.Failed:
		return outcomeRejected
	case v.Observed:
		return outcomeObserved
	}
	return outcomeApproved
}
