package simulator_test

import (
	"testing"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// TestContractTableHasEachOperationOnce guards the table itself.
func TestContractTableHasEachOperationOnce(t *testing.T) {
	if len(caddytest.AnswerTable) != 22 {
		t.Errorf("%d operations, want the 20 and the 2 extensions", len(caddytest.AnswerTable))
	}
	for operation, line := range caddytest.AnswerTable {
		members, rest := caddytest.ParseLine(t, line)
		if rest != "" || len(members) == 0 {
			t.Errorf("%s: %d members, rest %q", operation, len(members), rest)
		}
	}
}
