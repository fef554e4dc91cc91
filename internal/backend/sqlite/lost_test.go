package sqlite_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/fielato/fielato/internal/backend"
	"github.com/fielato/fielato/internal/backend/sqlite"
	"github.com/fielato/fielato/internal/openfiles"
)

// TestALedgerWithoutItsFilesGivesNothingOut: what it writes would end with the process, and the
// numbers would be given twice.
func TestALedgerWithoutItsFilesGivesNothingOut(t *testing.T) {
	for name, take := range map[string]func(folder string) error{
		"removed": os.RemoveAll,
		"moved":   func(folder string) error { return os.Rename(folder, folder+".old") },
		"the log": func(folder string) error { return os.Remove(filepath.Join(folder, "ledger.db-wal")) },
	} {
		folder := filepath.Join(t.TempDir(), "data")
		ledger, err := sqlite.Open(filepath.Join(folder, "ledger.db"))
		if err != nil {
			t.Fatal(err)
		}
		serial := func() error {
			return ledger.Update(t.Context(), func(tx backend.Tx) error {
				_, err := tx.Serials(t.Context(), 1)
				return err
			})
		}
		if err := serial(); err != nil {
			t.Fatal(err)
		}
		if err := take(folder); err != nil {
			t.Fatal(err)
		}
		if err := serial(); !errors.Is(err, openfiles.ErrGone) {
			t.Errorf("%s: an update: %v", name, err)
		}
		if err := ledger.View(t.Context(), func(backend.Reader) error { return nil }); !errors.Is(err, openfiles.ErrGone) {
			t.Errorf("%s: a view: %v", name, err)
		}
		_ = os.Rename(folder+".old", folder) // what comes back may lack something
		if err := serial(); !errors.Is(err, openfiles.ErrGone) {
			t.Errorf("%s, and it came back: %v", name, err)
		}
		if err := ledger.Close(); err != nil {
			t.Errorf("%s: closing: %v", name, err)
		}
	}
}
