package outcome

import (
	"net/http"
	"slices"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/wsfev1"
)

// IsServiceFailure reports whether a code means that the service itself failed. The request
// may have been carried out nevertheless (docs/sources.md#credentials).
func IsServiceFailure(code int32) bool { return code >= 500 && code <= 502 }

// noData are the codes of a query for which the service has no data (docs/sources.md#credentials); of
// FECAEASinMovimientoConsultar there are two.
var noData = []int32{602, 10102, 10105}

// HasNoData reports whether the codes of a query say that the service has no data for it, which is an answer like any
// other.
func HasNoData(codes []int32) bool { return len(codes) == 1 && slices.Contains(noData, codes[0]) }

// DeclaresErrorBody reports whether the contract declares the error body with this status for
// the operation (docs/sources.md#contract). It is then an answer that rejects.
func DeclaresErrorBody(op *wsfev1.Operation, status int) bool {
	return op.Name == "FECAEARegInformativo" && status == http.StatusBadRequest
}

// Of returns the outcome of an answer of the upstream.
func Of(op *wsfev1.Operation, status int, understood bool, v wsfev1.Verdict) audit.Outcome {
	declared := status == http.StatusOK || DeclaresErrorBody(op, status) && v.Failed
	switch {
	case !declared, !understood:
		return audit.OutcomeUpstreamError
	case op.Effect == wsfev1.EffectChanges && slices.ContainsFunc(v.Codes, IsServiceFailure):
		return audit.OutcomeUpstreamError
	case op.Effect == wsfev1.EffectNone && (!v.Failed || HasNoData(v.Codes)):
		return audit.OutcomeAnswered
	case v.Resultado == wsfev1.Parcial:
		return audit.OutcomePartial
	case v.Resultado == wsfev1.Rechazado || v.Failed:
		return audit.OutcomeRejected
	case v.Observed:
		return audit.OutcomeObserved
	}
	return audit.OutcomeApproved
}

// CodeMismatch is the finding's code of an answer that does not match its request.
const CodeMismatch = "answer.mismatch"

// Open is the word of a search for an intent without an outcome.
const Open = "open"

// The outcomes of records that are no exchange of a client.
const (
	// Different is the outcome of a settlement that found another invoice under the number (once.Different).
	Different audit.Outcome = "different"
	// OutageBegan and OutageEnded are the outcomes of the two records of an outage.
	OutageBegan audit.Outcome = "outage_began"
	OutageEnded audit.Outcome = "outage_ended"
)

// Words returns words of this package as texts, for what takes any text: labels of metrics and
// arguments of commands.
func Words[T ~string](words []T) []string {
	texts := make([]string, len(words))
	for i, w := range words {
		texts[i] = string(w)
	}
	return texts
}
