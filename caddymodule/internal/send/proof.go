package send

import (
	"net/http"
	"slices"

	"github.com/fielato/fielato/caddymodule/internal/binding"
	"github.com/fielato/fielato/caddymodule/internal/outcome"
	"github.com/fielato/fielato/validate/rules"
)

// kindOf returns the kind of the answer to a request that changes something. leg is the leg that the answer
// comes from, nil for none.
func (s *Sent) kindOf(o *Outgoing, leg *binding.UpstreamLeg, understood bool) outcome.Kind {
	switch {
	case isRefused(leg) && len(leg.Answer) == 0:
		return outcome.BareBadRequest
	case isRefused(leg):
		return outcome.MessageRefused
	}
	kind := outcome.KindOf(o.Operation, s.Reply.Status, understood, s.Verdict, func(code int32) bool {
		rule, ok := rules.RuleByCode(code)
		return ok && code != noData && slices.Contains(rule.Operations, o.Operation.Name)
	})
	isClientError := s.Reply.Status >= http.StatusBadRequest && s.Reply.Status < http.StatusInternalServerError
	if isClientError && s.Leg == nil && s.WellFormed && (kind == outcome.Unread || kind == outcome.Undocumented) {
		return outcome.ErrorBody
	}
	return kind
}

// noData is the code of a query for which the service has no data. The manual has it for every operation,
// and does not say what it means for a change.
const noData = 602

// isRefused reports whether a service that speaks SOAP has refused the message itself: nothing was begun.
func isRefused(leg *binding.UpstreamLeg) bool { return leg != nil && leg.Read == binding.LegRefused }
