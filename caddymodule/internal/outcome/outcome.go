package outcome

import (
	"net/http"
	"slices"

	"github.com/fielato/fielato/wsfev1"
)

// Outcome is the result of an exchange, one word.
type Outcome string

// The outcomes of an exchange.
const (
	Approved      Outcome = "approved"       // done, nothing observed: Resultado A, or a CAEA
	Observed      Outcome = "observed"       // done, with Observaciones
	Partial       Outcome = "partial"        // Resultado P
	Rejected      Outcome = "rejected"       // Resultado R, or Errors, from upstream
	Answered      Outcome = "answered"       // a query answered with data
	UpstreamError Outcome = "upstream_error" // an answer that is not the operation's
	Inadmissible  Outcome = "inadmissible"   // refused before it was read: 403, 404, 405, 413, 415…
	Malformed     Outcome = "malformed"      // refused for its shape
	Refused       Outcome = "refused"        // refused by a rule
	Unrecorded    Outcome = "unrecorded"     // refused because the trail cannot be written
	NotSent       Outcome = "not_sent"       // nothing reached the service
	Unknown       Outcome = "unknown"        // it was sent, and its result is not known
	Recovered     Outcome = "recovered"      // no usable answer; the service, queried, has it
	NotIssued     Outcome = "not_issued"     // no usable answer; the service, queried, does not have it
	Replayed      Outcome = "replayed"       // the answer of an identical request before
	Cached        Outcome = "cached"         // answered from the cache
	Conflict      Outcome = "conflict"       // refused: another request for the same is open
	Busy          Outcome = "busy"           // refused: no turn, slot or memory was free in time
	Unsettled     Outcome = "unsettled"      // refused: the outcome of a request before it is unknown
	Outage        Outcome = "outage"         // refused: the service does not answer
)

// All are the outcomes.
var All = []Outcome{
	Approved, Observed, Partial, Rejected, Answered, UpstreamError,
	Inadmissible, Malformed, Refused, Unrecorded, NotSent, Unknown,
	Recovered, NotIssued, Replayed, Cached, Conflict, Busy, Unsettled,
	Outage,
}

// IsServiceFailure reports whether a code means that the service itself failed. The request
// may have been carried out nevertheless (docs/sources.md#credentials).
func IsServiceFailure(code int32) bool { return code >= 500 && code <= 502 }

// NoData are the codes of a query for which the service has no data, which is an answer like
// any other (docs/sources.md#credentials).
var NoData = []int32{602}

// DeclaresErrorBody reports whether the contract declares the error body with this status for
// the operation (docs/sources.md#contract). It is then an answer that rejects.
func DeclaresErrorBody(op *wsfev1.Operation, status int) bool {
	return op.Name == "FECAEARegInformativo" && status == http.StatusBadRequest
}

// Of returns the outcome of an answer of the upstream.
func Of(op *wsfev1.Operation, status int, understood bool, v wsfev1.Verdict) Outcome {
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

// CodeMismatch is the finding's code of an answer that does not match its request.
const CodeMismatch = "answer.mismatch"

// Open is the word of a search for an intent without an outcome.
const Open = "open"

// Words returns words of this package as texts, for what takes any text: labels of metrics and
// arguments of commands.
func Words[T ~string](words []T) []string {
	texts := make([]string, len(words))
	for i, w := range words {
		texts[i] = string(w)
	}
	return texts
}
