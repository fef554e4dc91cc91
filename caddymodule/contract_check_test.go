package caddymodule_test

import (
	"testing"
)

// TestContractTableHasEachOperationOnce guards the table itself.
func TestContractTableHasEachOperationOnce(t *testing.T) {
	if len(answerTable) != 22 {
		t.Errorf("%d operations, want the 20 and the 2 extensions", len(answerTable))
	}
	for operation, line := range answerTable {
		members, rest := parseLine(t, line)
		if rest != "" || len(members) == 0 {
			t.Errorf("%s: %d members, rest %q", operation, len(members), rest)
		}
	}
}
