package sqlite_test

import (
	"path/filepath"
	"testing"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/audittest"
)

// TestInspectBesideAWriter: a block that is made while the store is looked at is no flaw.
func TestInspectBesideAWriter(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "evidence.db"))
	defer closeStore(t, s)
	commit := func(records int) {
		all := make([]*audit.Record, records)
		for i := range all {
			all[i] = &audit.Record{Kind: audit.KindExchange}
		}
		if err := s.Commit(t.Context(), audittest.Seal(t, s, tamperedLog, all...)); err != nil {
			t.Error(err)
		}
	}
	commit(4000)
	for range 3 {
		err := s.InspectAround(t.Context(), tamperedLog, func() { commit(200); commit(4000) }, func(f audit.Flaw) { t.Error(f) })
		if err != nil {
			t.Fatal(err)
		}
	}
}
