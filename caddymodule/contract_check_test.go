package caddymodule_test

import (
	"testing"
)

// TestContractTableHasEachOperationOnce guards the table itself.
func TestContractTableHasEachOperationOnce(t *testing.T) {
	if len(AnswerTable) != 22 {
		t.Errorf("%d operations, want the 20 and the 2 extensions", len(AnswerTable))
	}
	for operation, line := range AnswerTable {
		members, rest := ParseLine(t, line)
		if rest != "" || len(members) == 0 {
			t.Errorf("%s: %d members, rest %q", operation, len(members), rest)
		}
	}
}
