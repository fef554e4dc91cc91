package outcome

import (
	"net/http"
	"slices"

	"github.com/fielato/fielato/wsfev1"
)

// Outcomes, the finite list of words for what became of an exchange.
const (
	Approved      = "approved"       // done, nothing observed: Resultado A, or a CAEA
	Observed      = "observed"       // done, with Observaciones
	Partial       = "partial"        // Resultado P
	Rejected      = "rejected"       // Resultado R, or Errors, from upstream
	Answered      = "answered"       // a query answered with data
	UpstreamError = "upstream_error" // an answer that is not the operation's
	Inadmissible  = "inadmissible"   // refused before it was read: 403, 404, 405, 413, 415…
	Malformed     = "malformed"      // refused for its shape
	Refused       = "refused"        // refused by a rule
	Unrecorded    = "unrecorded"     // refused because the trail cannot be written
	NotSent       = "not_sent"
	Unknown       = "unknown"
	Recovered     = "recovered"  // no answer came, the service was asked: it was done
	NotIssued     = "not_issued" // no answer came, the service was asked: it was not
	Replayed      = "replayed"   // answered as the same request was before
	Cached        = "cached"     // answered as the same question was a while ago
	Conflict      = "conflict"   // refused: another request for the same is open
	Busy          = "busy"       // refused: those before it take too long
	Unsettled     = "unsettled"  // refused: what became of one before it is unknown
	Outage        = "outage"     // refused: the service does not answer
)

var All = []string{
	Approved, Observed, Partial, Rejected, Answered, UpstreamError,
	Inadmissible, Malformed, Refused, Unrecorded, NotSent, Unknown,
	Recovered, NotIssued, Replayed, Cached, Conflict, Busy, Unsettled,
	Outage,
}

// IsServiceFailure reports whether a code says that the service itself failed: what
// was asked may have been done all the same (domain.md §3.13).
func IsServiceFailure(code int32) bool { return code >= 500 && code <= 502 }

// NoData are the codes of a query that was answered with nothing: what it asked for
// is not there, which is an answer like any other (domain.md §3.13).
var NoData = []int32{602}

// DeclaresErrorBody reports whether the contract declares the error body with this
// status for the operation (interface.md §7): it is an answer then, which rejects.
func DeclaresErrorBody(op *wsfev1.Operation, status int) bool {
	return op.Name == "FECAEARegInformativo" && status == http.StatusBadRequest
}

// Of reads the outcome off an answer of the upstream.
func Of(op *wsfev1.Operation, status int, understood bool, v wsfev1.Verdict) string {
	declared := status == http.StatusOK || DeclaresErrorBody(op, status) && v.Failed
	switch {
	case !declared, !understood:
		return UpstreamError
	case op.Effect == wsfev1.EffectChanges && slices.ContainsFunc(v.Codes, IsServiceFailure):
		return UpstreamError
	case op.Effect == wsfev1.EffectNone && (!v.Failed || slices.Equal(v.Codes, NoData)):
		return Answered
	case v.Resultado == wsfev1.Parcial:
		return Partial
	case v.Resultado == wsfev1.Rechazado || v.Failed:
		return Rejected
	case v.Observed:
		return Observed
	}
	return Approved
}

// CodeMismatch is the code of an answer about something else than was asked.
const CodeMismatch = "answer.mismatch"

// Open is what a search calls an intent that has no outcome.
const Open = "open"
