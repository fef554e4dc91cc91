package gateway

import (
	"context"

	"github.com/fielato/fielato/caddymodule/internal/binding"
	"github.com/fielato/fielato/wsfev1"
)

// newAnswerReservation returns the reservation for the answer to an exchange.
func (x *exchange) newAnswerReservation() *binding.AnswerReservation {
	most := x.gateway.MaxAnswer
	if x.internal {
		most = min(most, binding.MaxFound)
	}
	return &binding.AnswerReservation{Budget: x.gateway.answers, MaxWait: x.gateway.maxWait(), Most: most}
}

// reserveAnswer reserves memory for an answer that has arrived, or drops it.
func (x *exchange) reserveAnswer(ctx context.Context, c *capture) {
	if c.cut == nil && c.status != 0 {
		c.cut = x.memory.answer.Arrived(ctx, c.size()+x.sent.leg.Size())
	}
	if c.cut == nil && c.status != 0 {
		c.cut = x.memory.answer.Read(ctx, c.body, false)
	}
	if c.cut != nil {
		c.body, x.sent.leg = nil, nil
		x.memory.answer.Release()
	}
}

// refuseUnanswered ends an exchange that got no answer, or one that could not be read.
func (x *exchange) refuseUnanswered(cause error) bool {
	if binding.IsCut(cause) {
		x.sent.lossClass = binding.CutLoss(cause)
		if x.in.Operation.Effect == wsfev1.EffectNone {
			return x.refuse(binding.CutOff(cause, x.memory.answer.Most))
		}
	}
	return x.refuse(binding.Unanswered(x.sent.certainty, x.in.Operation.Effect, x.repeatable(), cause))
}
