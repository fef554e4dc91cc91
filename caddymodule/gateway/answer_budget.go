package gateway

import (
	"github.com/fielato/fielato/caddymodule/internal/binding"
)

// newAnswerReservation returns the reservation for the answer to an exchange.
func (x *exchange) newAnswerReservation() *binding.AnswerReservation {
	most := x.gateway.MaxAnswer
	if x.internal {
		most = min(most, binding.MaxFound)
	}
	return &binding.AnswerReservation{Budget: x.gateway.answers, MaxWait: x.gateway.maxWait(), Most: most}
}
