package exchange

import (
	"errors"
	"testing"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/intake"
	"github.com/fielato/fielato/caddymodule/internal/record"
	"github.com/fielato/fielato/caddymodule/internal/send"
	"github.com/fielato/fielato/wsfev1"
)

// TestAPanicAfterSendingIsUnknown: whatever was certain before it, and whatever the answer said.
func TestAPanicAfterSendingIsUnknown(t *testing.T) {
	for _, before := range []audit.Certainty{audit.NotSent, audit.Answered} {
		x := &exchange{way: new(Way), Facts: record.Facts{
			Decision: &intake.Decision{Operation: wsfev1.OperationByName("FECAESolicitar")}, Sent: send.Sent{Forwarded: true},
			Result: record.Result{Certainty: before, Answer: send.Answer{Verdict: wsfev1.Verdict{Resultado: wsfev1.Aprobado}, WellFormed: true}},
		}}
		x.breakOff(errors.New("a panic"))
		if x.Result.Certainty != audit.Unknown || x.Result.Refusal == nil || x.Result.Refusal.Outcome != audit.OutcomeUnknown || x.Result.Verdict.Resultado != "" {
			t.Errorf("%s before: %s, %+v", before, x.Result.Certainty, x.Result.Refusal)
		}
	}
}
