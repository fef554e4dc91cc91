package gateway

import (
	"errors"
	"testing"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/intake"
	"github.com/fielato/fielato/caddymodule/internal/send"
	"github.com/fielato/fielato/wsfev1"
)

// TestAPanicAfterSendingIsUnknown: whatever was certain before it, and whatever the answer said.
func TestAPanicAfterSendingIsUnknown(t *testing.T) {
	for _, before := range []audit.Certainty{audit.NotSent, audit.Answered} {
		x := &exchange{
			gateway: &Gateway{}, in: &intake.Decision{Operation: wsfev1.OperationByName("FECAESolicitar")},
			sent:   &send.Sent{Forwarded: true, Certainty: before},
			answer: received{verdict: wsfev1.Verdict{Resultado: wsfev1.Aprobado}, wellFormed: true},
		}
		x.breakOff(errors.New("a panic"))
		if x.sent.Certainty != audit.Unknown || x.refusal == nil || x.refusal.Outcome != audit.OutcomeUnknown || x.answer.verdict.Resultado != "" {
			t.Errorf("%s before: %s, %+v", before, x.sent.Certainty, x.refusal)
		}
	}
}
