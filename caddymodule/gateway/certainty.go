package gateway

import (
	"net/http"
	"slices"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/outcome"
	"github.com/fielato/fielato/validate/rules"
	"github.com/fielato/fielato/wsfev1"
)

// weigh finds the proof in the answer to a request that changes something (outcome.Readings). If the answer
// proves nothing, the service is asked, and until then the answer counts as none of the operation.
func (x *exchange) weigh(understood bool) {
	if x.in.Operation.Effect != wsfev1.EffectChanges {
		return
	}
	x.answer.reading = outcome.ReadingOf(x.kindOfAnswer(understood))
	if x.answer.reading.Proof == outcome.ProvesNothing {
		x.outcome = audit.OutcomeUpstreamError
	}
	if x.isRefusedBySOAP() {
		x.answer.verdict = wsfev1.Verdict{Failed: true}
	}
}

// kindOfAnswer returns the kind of the answer to a request that changes something.
func (x *exchange) kindOfAnswer(understood bool) outcome.Kind {
	switch {
	case x.isRefusedBySOAP() && len(x.sent.leg.Answer) == 0:
		return outcome.BareBadRequest
	case x.isRefusedBySOAP():
		return outcome.MessageRefused
	}
	kind := outcome.KindOf(x.in.Operation, x.reply.Status, understood, x.answer.verdict, func(code int32) bool {
		rule, ok := rules.RuleByCode(code)
		return ok && code != noData && slices.Contains(rule.Operations, x.in.Operation.Name)
	})
	isClientError := x.reply.Status >= http.StatusBadRequest && x.reply.Status < http.StatusInternalServerError
	if isClientError && x.sent.leg == nil && x.answer.wellFormed && (kind == outcome.Unread || kind == outcome.Undocumented) {
		return outcome.ErrorBody
	}
	return kind
}

// noData is the code of a query for which the service has no data. The manual has it for every operation,
// and does not say what it means for a change.
const noData = 602

// refuses reports whether the service's answer says that nothing was carried out, which only a query can
// prove.
func (x *exchange) refuses() bool {
	return x.refusal == nil && x.answer.reading.Refuses && x.outcome == audit.OutcomeUpstreamError
}
