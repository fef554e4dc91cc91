package record

import (
	"testing"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/intake"
	"github.com/fielato/fielato/caddymodule/internal/send"
)

// TestAWarningLeavesOutWhatItDoesNotKnow.
func TestAWarningLeavesOutWhatItDoesNotKnow(t *testing.T) {
	core, logs := observer.New(zap.InfoLevel)
	f := Facts{Decision: new(intake.Decision), Sent: send.Sent{}, Result: Result{Certainty: audit.Unknown}}
	f.Warn(zap.New(core))
	if logs.Len() != 1 {
		t.Fatalf("%d lines", logs.Len())
	}
	for name, value := range logs.All()[0].ContextMap() {
		if (name == "error" || name == "upstream") && value == "" {
			t.Errorf("%s is empty", name)
		}
	}
}
