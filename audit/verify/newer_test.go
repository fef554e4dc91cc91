package verify_test

import (
	"strings"
	"testing"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/audit/verify"
	"github.com/fielato/fielato/internal/audittest"
)

// TestVerifyOfANewerBuildsRecord: it is what was signed, and this build cannot read it. Nobody has
// changed it.
func TestVerifyOfANewerBuildsRecord(t *testing.T) {
	s := audittest.NewMemory()
	batch, tree := audittest.Seal(t, s, log, &audit.Record{Kind: audit.KindExchange}), new(audit.Tree)
	entry := &batch.Entries[0]
	entry.Form.Summary[0] = 99
	entry.Leaf = entry.Form.Leaf()
	batch.Tiles = tree.Add(entry.Leaf, nil)
	var err error
	checkpoint := audit.Checkpoint{Origin: audit.Origin(log), Size: 1, Root: tree.Root()}
	if batch.Checkpoint, err = checkpoint.Sign(audittest.Key(t, log)); err != nil {
		t.Fatal(err)
	}
	if err := s.Commit(t.Context(), batch); err != nil {
		t.Fatal(err)
	}
	report := verified(t, s, verify.Options{})
	if got := firstFlaw(report); report.Flaws.Count != 1 || !strings.Contains(got, "record 0 cannot be read: version 99") || strings.Contains(got, "changed") {
		t.Errorf("%d flaws: %s", report.Flaws.Count, got)
	}
}
