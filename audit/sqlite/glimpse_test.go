package sqlite_test

import (
	"testing"

	"github.com/fielato/fielato/audit"
	auditsqlite "github.com/fielato/fielato/audit/sqlite"
	"github.com/fielato/fielato/internal/audittest"
)

// TestAGlimpseHoldsNobodyUp: Head waits for a commit that is under way, and a commit for Head. A glimpse does neither.
func TestAGlimpseHoldsNobodyUp(t *testing.T) {
	store, err := auditsqlite.Open(t.TempDir() + "/audit.db")
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	if err := store.Commit(t.Context(), audittest.Seal(t, store, "gw", audittest.NewSource(1).Issue(1))); err != nil {
		t.Fatal(err)
	}
	release := auditsqlite.HoldWriter(store)
	head, err := audit.Glimpse(t.Context(), store, "gw")
	release()
	if err != nil || head.Size != 1 || head.Checkpoint == nil {
		t.Errorf("%+v, %v", head, err)
	}
}
