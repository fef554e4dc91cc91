package reading_test

import (
	"strings"
	"testing"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// TestAnUnusableAnswerWasSettled: the gateway asks about it as about one that did not come, and what it
// learns is shown beside it.
func TestAnUnusableAnswerWasSettled(t *testing.T) {
	lost := caddytest.LostIntent(0, 2)
	unusable := caddytest.LostIntent(0, 2)
	unusable.Kind, unusable.ID, unusable.Outcome, unusable.Certainty = audit.KindOutcome, lost.ID, audit.OutcomeUpstreamError, audit.Answered
	s := caddytest.KeptTrail(t, lost, unusable, caddytest.Settlement(3, "", lost))
	for _, address := range []string{"0", "1"} {
		if out := s.Show(address); !strings.Contains(out, "/2 (settlement)") {
			t.Errorf("%s:\n%s", address, out)
		}
		if out := s.Show(address, "--format", "json"); !strings.Contains(out, `"settlement":{"log":`) {
			t.Errorf("%s:\n%s", address, out)
		}
	}
	out, _, err := caddytest.AuditCommand("search", "--store", "sqlite:"+s.Store, "--outcome", "upstream_error")
	if err != nil || !strings.Contains(out, "upstream_error → recovered") {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestAnOutcomeOfAnotherLogIsNotShown as the outcome of the intent that has the same index here.
func TestAnOutcomeOfAnotherLogIsNotShown(t *testing.T) {
	lost := caddytest.LostIntent(0, 2)
	foreign := caddytest.Settlement(0, "gateway-2", lost)
	foreign.Kind = audit.KindOutcome
	s := caddytest.KeptTrail(t, lost, foreign)
	if out := s.Show("0"); strings.Contains(out, "(outcome)") || !strings.Contains(out, "no outcome is recorded") {
		t.Errorf("%s", out)
	}
}

// TestASettlementIsShownWithoutTheLogOfItsIntent: a copy of one log has no other.
func TestASettlementIsShownWithoutTheLogOfItsIntent(t *testing.T) {
	settled := caddytest.Settlement(0, "gateway-2", caddytest.LostIntent(0, 2))
	settled.Request = nil
	s := caddytest.KeptTrail(t, settled)
	if out := s.Show("0"); !strings.Contains(out, "request: in the record of the intent, gateway-2/0\n") {
		t.Errorf("%s", out)
	}
}
