package sqlite_test

import (
	"database/sql"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fielato/fielato/internal/backend"
	"github.com/fielato/fielato/internal/backend/backendtest"
	"github.com/fielato/fielato/internal/backend/sqlite"
	"github.com/fielato/fielato/internal/testrun"
)

func TestMain(m *testing.M) {
	if path := os.Getenv(victimVariable); path != "" {
		victim(path)
		return
	}
	testrun.Main(m, nil)
}

func open(tb testing.TB, place string) backend.Ledger {
	tb.Helper()
	ledger, err := sqlite.Open(filepath.Join(place, "ledger.db"))
	if err != nil {
		tb.Fatal(err)
	}
	return ledger
}

func TestLedgerKeepsItsContract(t *testing.T) { backendtest.Suite(t, open) }

func TestOpenMakesFolderAndFilesPrivate(t *testing.T) {
	// The name is full of characters that are special in a URI.
	folder := filepath.Join(t.TempDir(), "a folder?x=1#50%", "inner")
	ledger := open(t, folder)
	defer ledger.Close()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) == 0 {
		t.Fatal("nothing was created in the folder")
	}
	for _, entry := range entries {
		info, err := entry.Info()
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %v", entry.Name(), info.Mode())
		}
	}
	info, err := os.Stat(folder)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o700 {
		t.Errorf("the folder has mode %v", info.Mode())
	}
}

func TestOpenRefusesWhatIsNoLedgerAndNamesPathAndCure(t *testing.T) {
	folder := t.TempDir()
	text := filepath.Join(folder, "notes.txt")
	if err := os.WriteFile(text, []byte(strings.Repeat("not a database\n", 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	foreign := filepath.Join(folder, "foreign.db")
	execute(t, foreign, "CREATE TABLE notes (text TEXT)")
	newer := filepath.Join(folder, "newer.db")
	ledger, err := sqlite.Open(newer)
	if err != nil {
		t.Fatal(err)
	}
	if err := ledger.Close(); err != nil {
		t.Fatal(err)
	}
	execute(t, newer, "PRAGMA user_version=99")
	for path, cure := range map[string]string{
		"":                              "name the file",
		text:                            "must name a ledger, or nothing",
		foreign:                         "name another path",
		newer:                           "use the newer Fielato",
		folder:                          "name another path",
		filepath.Join(text, "inner.db"): "name another path",
	} {
		ledger, err := sqlite.Open(path)
		if err == nil {
			t.Errorf("%q was opened", path)
			ledger.Close()
			continue
		}
		if !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), cure) {
			t.Errorf("%q: the error names not both path and cure %q: %v", path, cure, err)
		}
	}
	if data, err := os.ReadFile(text); err != nil || !strings.HasPrefix(string(data), "not a database") {
		t.Errorf("a refused file was changed: %v", err)
	}
}

func execute(t *testing.T, path, text string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(text); err != nil {
		t.Fatal(err)
	}
}

func TestWriteAheadLogStaysBounded(t *testing.T) {
	folder := t.TempDir()
	ledger := open(t, folder)
	defer ledger.Close()
	random := rand.New(rand.NewPCG(35, 5))
	const lot, lots = 250, 160
	for i := range int64(lots) {
		invoices := make([]backend.Invoice, lot)
		for k := range invoices {
			number := i*lot + int64(k) + 1
			detail := []byte(`{"filler":"`)
			for range 50 { // what cannot be compressed
				detail = fmt.Appendf(detail, "%016x", random.Uint64())
			}
			detail = append(detail, `"}`...)
			invoices[k] = backend.Invoice{CbteDesde: number, CbteHasta: number, CbteFch: "20261106", EmisionTipo: backend.EmisionCAE, Detail: detail}
		}
		err := ledger.Update(t.Context(), func(tx backend.Tx) error {
			return tx.Append(t.Context(), backend.Series{Cuit: 20267565393, PtoVta: 1, CbteTipo: 6}, invoices)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	info, err := os.Stat(filepath.Join(folder, "ledger.db-wal"))
	if err != nil {
		t.Fatal(err)
	}
	// Without checkpoints the log would hold all 40 MB.
	if info.Size() > 20<<20 {
		t.Errorf("the write-ahead log has %d bytes after %d invoices", info.Size(), lot*lots)
	}
}
