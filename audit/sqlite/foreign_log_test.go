package sqlite_test

import (
	"database/sql"
	"os"
	"path/filepath"
	"testing"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/audit/sqlite"
	"github.com/fielato/fielato/internal/audittest"
)

// TestAWriteAheadLogThatDoesNotBelongToTheFileDoesNotRuinIt: whether the store opens or not, without a commit the file
// stays as it is. A backup that was put beside the log of an earlier file must not be lost by one start.
func TestAWriteAheadLogThatDoesNotBelongToTheFileDoesNotRuinIt(t *testing.T) {
	path := filepath.Join(t.TempDir(), "evidence.db")
	s := open(t, path)
	commit := func(records int) {
		all := make([]*audit.Record, records)
		for i := range all {
			all[i] = &audit.Record{Kind: audit.KindExchange, Request: make([]byte, 100)}
		}
		if err := s.Commit(t.Context(), audittest.Seal(t, s, tamperedLog, all...)); err != nil {
			t.Fatal(err)
		}
	}
	commit(50)
	older := readFile(t, path+"-wal")
	commit(3000)
	closeStore(t, s)
	file := readFile(t, path)
	for name, wal := range map[string][]byte{"of an earlier moment": older, "of another program": foreignLog(t)} {
		for suffix, content := range map[string][]byte{"": file, "-wal": wal} {
			if err := os.WriteFile(path+suffix, content, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Remove(path + "-shm"); err != nil {
			t.Fatal(err)
		}
		if s, err := sqlite.Open(path); err == nil {
			closeStore(t, s)
		}
		if string(readFile(t, path)) != string(file) || string(readFile(t, path+"-wal")) != string(wal) {
			t.Errorf("the log %s was copied into the file", name)
		}
	}
}

// foreignLog returns the write-ahead log of a database that is no trail.
func foreignLog(t *testing.T) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "other.db")
	db, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, statement := range []string{"PRAGMA journal_mode=WAL", "CREATE TABLE invoices (n)", "INSERT INTO invoices VALUES (1)"} {
		if _, err := db.Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
	return readFile(t, path+"-wal")
}
