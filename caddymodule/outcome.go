package caddymodule

import (
	"net/http"
	"slices"

	"github.com/fielato/fielato/wsfev1"
)

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

// codeMismatch is the code of an answer about something else than was asked.
const codeMismatch = "answer.mismatch"

// outcomeOpen is what a search calls an intent that has no outcome.
const outcomeOpen = "open"
