package sqlite_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/audit/audittest"
	"github.com/fielato/fielato/audit/sqlite"
)

// toVersion1 takes away what a file of version 1 did not have.
const toVersion1 = `DROP VIEW appends; DROP TABLE tiles; DROP TABLE checkpoints;
ALTER TABLE segments DROP COLUMN leaves; PRAGMA user_version=1`

// TestFileOfTheFirstVersionGetsItsTree: with everything that was in it, and is signed
// and goes on.
func TestFileOfTheFirstVersionGetsItsTree(t *testing.T) {
	for _, records := range []int{0, 1, 200, 256, 700, 1024} {
		path := filepath.Join(t.TempDir(), "evidence.db")
		s := open(t, path)
		source := audittest.NewSource(1)
		for first, n := 0, 1; first < records; first, n = first+n, n*3%191+1 {
			n = min(n, records-first)
			var some []*audit.Record
			for i := range n {
				some = append(some, source.Next(uint64(first+i)))
			}
			if err := s.Commit(t.Context(), batchOf(uint64(first), some...)); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Exec(toVersion1); err != nil {
			t.Fatal(err)
		}
		closeStore(t, s)
		if _, err := sqlite.OpenReader(path); err == nil || !strings.Contains(err.Error(), "start the gateway") {
			t.Errorf("opening the old file for reading: %v, want the cure", err)
		}
		s = open(t, path)
		trail, err := audit.Open(t.Context(), s, "gateway-1", audittest.Key(t, "gateway-1"), audit.Options{First: true})
		if err != nil {
			t.Fatalf("%d records: %v", records, err)
		}
		audittest.Verify(t, s, "gateway-1")
		for range 300 {
			if _, err := trail.Append(t.Context(), source.Issue(1)); err != nil {
				t.Fatal(err)
			}
		}
		if err := trail.Close(); err != nil {
			t.Fatal(err)
		}
		closeStore(t, s)
		s = open(t, path)
		audittest.Verify(t, s, "gateway-1")
		if head, err := s.Head(t.Context(), "gateway-1"); err != nil || head.Size != uint64(records+300) {
			t.Errorf("%d records, %v; want %d", head.Size, err, records+300)
		}
		closeStore(t, s)
	}
}
