package caddymodule

import (
	"context"

	"github.com/fielato/fielato/wsfev1"
)

// newAnswerStay returns the stay of the answer to an exchange.
func (x *exchange) newAnswerStay() *answerStay {
	most := x.gateway.MaxAnswer
	if x.asking {
		most = min(most, maxFound)
	}
	return &answerStay{room: x.gateway.answers, patience: x.gateway.patience(), most: most}
}

// enterAnswer takes an answer that has arrived into the room where it is worked on.
func (x *exchange) enterAnswer(ctx context.Context, c *capture) {
	if c.cut == nil && c.status != 0 {
		c.cut = x.answering.arrived(ctx, c.size())
	}
	if c.cut != nil {
		c.body = nil
		x.answering.end()
	}
}

// refuseUnanswered ends an exchange to which no answer came that could be read.
func (x *exchange) refuseUnanswered(cause error) bool {
	if isCut(cause) {
		x.lossClass = cutLoss(cause)
		if x.operation.Effect == wsfev1.EffectNone {
			return x.refuse(cutOff(cause, x.answering.most))
		}
	}
	return x.refuse(unanswered(x.certainty, x.operation.Effect, x.repeatable(), cause))
}
