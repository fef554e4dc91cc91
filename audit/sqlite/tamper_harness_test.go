package sqlite_test

import (
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/audit/sqlite"
	"github.com/fielato/fielato/audit/verify"
	"github.com/fielato/fielato/internal/audittest"
)

const tamperedLog = "gateway-1"

// sealed is an evidence file that is not written any more. Each test tampers with a copy: one
// block and a tail, tiles, segments of one record and of many.
type sealed struct {
	file []byte
	size uint64
	// older is the file as it was with fewer records, kept the checkpoint of then.
	older, kept []byte
}

// sealedOnce is the file of all tests: making it takes longer than most of them.
var sealedOnce struct {
	sync.Mutex
	made *sealed
}

func sealedFile(t *testing.T) *sealed {
	t.Helper()
	sealedOnce.Lock()
	defer sealedOnce.Unlock()
	if sealedOnce.made == nil {
		sealedOnce.made = makeSealed(t)
	}
	return sealedOnce.made
}

func makeSealed(t *testing.T) *sealed {
	t.Helper()
	path := filepath.Join(t.TempDir(), "evidence.db")
	s := open(t, path)
	source := audittest.NewSource(3)
	kept := &sealed{}
	write := func(upTo uint64, batch int) {
		for kept.size < upTo {
			var records []*audit.Record
			for len(records) < batch {
				index := kept.size + uint64(len(records))
				r := source.Next(index)
				if index%8 != 0 { // small ones, so that a verification takes milliseconds
					r.Request, r.Answer = r.Request[:min(len(r.Request), 40)], nil
				}
				if index < 250 { // so much to find them by that they fill a block
					r.Vouchers = nil
					for n := range int64(10) {
						r.Vouchers = append(r.Vouchers, audit.Voucher{CbteDesde: int64(index)*1000 + n*32, CbteHasta: int64(index)*1000 + n*32 + 30})
					}
				}
				r.Salt = [16]byte{byte(index), byte(index >> 8)}
				records = append(records, r)
			}
			if err := s.Commit(t.Context(), audittest.Seal(t, s, tamperedLog, records...)); err != nil {
				t.Fatal(err)
			}
			kept.size += uint64(batch)
		}
	}
	read := func() []byte {
		closeStore(t, s)
		file, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		s = open(t, path)
		return file
	}
	write(1250, 250)
	head, err := s.Head(t.Context(), tamperedLog)
	if err != nil {
		t.Fatal(err)
	}
	kept.older, kept.kept = read(), head.Checkpoint
	write(1550, 100)
	write(1570, 1)
	kept.file = read()
	closeStore(t, s)
	return kept
}

// tampered verifies a copy of the file that was changed.
func (k *sealed) tampered(t *testing.T, change func(*sql.DB)) verify.Report {
	t.Helper()
	return k.verify(t, k.file, verify.Options{}, change)
}

func (k *sealed) verify(t *testing.T, file []byte, options verify.Options, change func(*sql.DB)) verify.Report {
	t.Helper()
	path := filepath.Join(t.TempDir(), "tampered.db")
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	if change != nil {
		db, err := sql.Open("sqlite", "file:"+path)
		if err != nil {
			t.Fatal(err)
		}
		change(db)
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
	s, err := sqlite.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer closeStore(t, s)
	options.Listed = 1000
	report, err := verify.Log(t.Context(), s, tamperedLog, audittest.Key(t, tamperedLog).Verifier(), options)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

func mustExec(t *testing.T, db *sql.DB, statement string, args ...any) {
	t.Helper()
	result, err := db.Exec(statement, args...)
	if err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
	if n, _ := result.RowsAffected(); n == 0 && !strings.HasPrefix(statement, "CREATE") && !strings.HasPrefix(statement, "DROP") {
		t.Fatalf("%s: nothing changed", statement)
	}
}

// first returns the first flaw in words.
func first(r verify.Report) string {
	if r.Sound() {
		return "sound"
	}
	return r.Flaws.Items[0].String()
}
