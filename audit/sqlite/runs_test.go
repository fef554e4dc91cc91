package sqlite_test

import (
	"database/sql"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/audit/sqlite"
	"github.com/fielato/fielato/audit/verify"
	"github.com/fielato/fielato/internal/audittest"
	"github.com/fielato/fielato/internal/testrun"
)

// invoices are small records, each with a number of its own: the one after its index.
func invoices(first, n int) (records []*audit.Record) {
	for i := first; i < first+n; i++ {
		records = append(records, &audit.Record{
			Kind: audit.KindExchange, Operation: "FECAESolicitar", Cuit: 20000000001, PtoVta: 1, CbteTipo: 6,
			Vouchers: []audit.Voucher{{CbteDesde: int64(i) + 1, CbteHasta: int64(i) + 1}},
		})
	}
	return records
}

func commitInvoices(t *testing.T, s *sqlite.Store, first, n int) {
	t.Helper()
	if err := s.Commit(t.Context(), audittest.Seal(t, s, "gateway-1", invoices(first, n)...)); err != nil {
		t.Fatal(err)
	}
}

// findsEach fails the test unless a search finds each of so many invoices, or each of some of them, and nothing else.
func findsEach(t *testing.T, s audit.Store, n, step int) {
	t.Helper()
	for i := 0; i < n; i += step {
		q := audit.Query{Log: "gateway-1", PtoVta: 1, Number: int64(i) + 1}
		if i%2 == 0 {
			q.Cuit, q.CbteTipo = 20000000001, 6
		}
		found := 0
		for r, err := range s.Search(t.Context(), q) {
			if err != nil || r.Index != uint64(i) {
				t.Fatalf("invoice %d of %d: %v, %v", i, n, r, err)
			}
			found++
		}
		if found != 1 {
			t.Fatalf("invoice %d of %d is found %d times", i, n, found)
		}
	}
}

func coverOf(t *testing.T, s *sqlite.Store) []int {
	t.Helper()
	levels, err := s.Cover(t.Context(), "gateway-1")
	if err != nil {
		t.Fatal(err)
	}
	return levels
}

func isSound(t *testing.T, s audit.Store) {
	t.Helper()
	report, err := verify.Log(t.Context(), s, "gateway-1", audittest.Key(t, "gateway-1").Verifier(), verify.Options{})
	if err != nil || !report.Sound() {
		t.Fatalf("%v: %v", err, report.Flaws.Items)
	}
}

// TestKilledAtEachStepOfAMerge: a process that is killed leaves the file and its write-ahead log as they are after a
// commit or a step of a merge. A reader finds everything, and the next process merges the rest.
func TestKilledAtEachStepOfAMerge(t *testing.T) {
	const batch, shape = 8, 2
	path := filepath.Join(t.TempDir(), "evidence.db")
	s := open(t, path, sqlite.WithShape(shape, batch))
	defer closeStore(t, s)
	blocks := testrun.Size(t, 4*4+1, 4*4*4+1)
	commitInvoices(t, s, 0, batch)
	began := len(readFile(t, path+"-wal"))
	for i := 1; i < blocks; i++ {
		commitInvoices(t, s, i*batch, batch)
	}
	s.Merge(t.Context())
	if levels := coverOf(t, s); levels[0] < 2 || len(levels) != 2 {
		t.Fatalf("runs of the levels %v", levels)
	}
	file, wal := readFile(t, path), readFile(t, path+"-wal")
	const frame = 4096 + 24
	for end := began; end+frame <= len(wal); end += frame {
		// A frame that ends a transaction has the size of the database then.
		if binary.BigEndian.Uint32(wal[end+4:]) == 0 {
			continue
		}
		killed := filepath.Join(t.TempDir(), "evidence.db")
		for name, content := range map[string][]byte{killed: file, killed + "-wal": wal[:end+frame]} {
			if err := os.WriteFile(name, content, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		r, err := sqlite.OpenReader(killed, sqlite.WithShape(shape, batch))
		if err != nil {
			t.Fatal(err)
		}
		head, err := r.Head(t.Context(), "gateway-1")
		if err != nil {
			t.Fatal(err)
		}
		findsEach(t, r, int(head.Size), 7)
		isSound(t, r)
		closeStore(t, r)
		next := open(t, killed, sqlite.WithShape(shape, batch))
		next.Merge(t.Context())
		commitInvoices(t, next, int(head.Size), 3)
		findsEach(t, next, int(head.Size)+3, 5)
		isSound(t, next)
		if levels := coverOf(t, next); len(levels) > 3*3+1 {
			t.Fatalf("%d records: runs of the levels %v", head.Size, levels)
		}
		closeStore(t, next)
	}
}

// TestReadersFindEachRecordWhileRunsAreMerged, in the same process and in another one.
func TestReadersFindEachRecordWhileRunsAreMerged(t *testing.T) {
	const batch = 4
	path := filepath.Join(t.TempDir(), "evidence.db")
	s := open(t, path, sqlite.WithShape(1, batch))
	defer closeStore(t, s)
	commitInvoices(t, s, 0, batch)
	r, err := sqlite.OpenReader(path, sqlite.WithShape(1, batch))
	if err != nil {
		t.Fatal(err)
	}
	defer closeStore(t, r)
	var size atomic.Int64
	size.Store(batch)
	var ended atomic.Bool
	var wg sync.WaitGroup
	for seed, store := range []*sqlite.Store{s, r} {
		wg.Go(func() {
			for i := seed; !ended.Load() && !t.Failed(); i += 13 {
				number := int64(i)%size.Load() + 1
				found := 0
				for record, err := range store.Search(t.Context(), audit.Query{Log: "gateway-1", PtoVta: 1, Number: number}) {
					if err != nil || record.Index != uint64(number-1) {
						t.Errorf("invoice %d: %v, %v", number, record, err)
						return
					}
					found++
				}
				if found != 1 {
					t.Errorf("invoice %d is found %d times", number, found)
				}
			}
		})
	}
	for n := batch; n < testrun.Size(t, 300, 3000); n += batch {
		commitInvoices(t, s, n, batch)
		size.Store(int64(n + batch))
	}
	ended.Store(true)
	wg.Wait()
	s.Merge(t.Context())
	if levels := coverOf(t, s); slices.Max(levels) < 4 {
		t.Errorf("runs of the levels %v", levels)
	}
	isSound(t, s)
}

// TestAFileOfAnEarlierBuildIsMerged when a gateway opens it. Until then, and in a copy that nobody writes, its blocks
// are all that a search needs.
func TestAFileOfAnEarlierBuildIsMerged(t *testing.T) {
	const records, batch = 1400, 8
	path := filepath.Join(t.TempDir(), "evidence.db")
	s := open(t, path, sqlite.WithShape(20, batch)) // which is never merged
	for n := 0; n < records; n += batch {
		commitInvoices(t, s, n, batch)
	}
	closeStore(t, s)
	rewrite(t, path, "DROP TABLE runs", "DROP TABLE lists", "PRAGMA user_version=3")
	r := reader(t, path, sqlite.WithShape(2, batch))
	findsEach(t, r, records, 61)
	isSound(t, r)

	var told []audit.Merging
	s = open(t, path, sqlite.WithShape(2, batch), sqlite.WithMerging(func(m audit.Merging) { told = append(told, m) }))
	s.Merge(t.Context())
	levels := coverOf(t, s)
	findsEach(t, s, records, 61)
	isSound(t, s)
	findsEach(t, r, records, 61) // which was opened before
	isSound(t, r)
	commitInvoices(t, s, records, batch)
	closeStore(t, s)
	if len(levels) > 12 || slices.Max(levels) != 3 {
		t.Errorf("runs of the levels %v", levels)
	}
	last := len(told) - 1
	if last < 3 || told[0].Merged != 0 || told[0].Records != 1376 || told[last].Merged != 1376 ||
		!slices.IsSortedFunc(told, func(a, b audit.Merging) int { return int(a.Merged) - int(b.Merged) }) {
		t.Errorf("the progress: %+v", told)
	}
	again := reader(t, path, sqlite.WithShape(2, batch))
	findsEach(t, again, records+batch, 61)
	isSound(t, again)
}

// rewrite runs statements on a file that no store has open.
func rewrite(t *testing.T, path string, statements ...string) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	defer closeStore(t, db)
	for _, statement := range statements {
		if _, err := db.Exec(statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
}

// TestWhatSomebodyDidToRunsIsNamed: the first of the file's runs have three levels.
func TestWhatSomebodyDidToRunsIsNamed(t *testing.T) {
	const batch, shape = 4, 1
	path := filepath.Join(t.TempDir(), "evidence.db")
	s := open(t, path, sqlite.WithShape(shape, batch))
	for n := 0; n < 8*batch+2; n += batch {
		commitInvoices(t, s, n, batch)
	}
	s.Merge(t.Context())
	closeStore(t, s)
	file := readFile(t, path)
	for statement, want := range map[string]string{
		"SELECT 1":                       "",
		"DELETE FROM runs WHERE first=0": "runs: of level 1, where the one at 0 was to follow",
		"DELETE FROM runs WHERE level=3": "runs: of level 3: its lists are there, and it is not",
		"DELETE FROM lists WHERE level=2 AND first=16 AND length(terms) > 0":                                             "lists: of level 2: the one of bucket",
		"UPDATE lists SET terms = x'0000000000' WHERE level=1 AND first=8":                                               "is not that of its parts",
		"UPDATE runs SET level = 99 WHERE level=3":                                                                       "runs: there is no level 99",
		"UPDATE lists SET level = -1 WHERE level=3":                                                                      "lists: there is no level -1",
		"UPDATE lists SET log = 2 WHERE level=3":                                                                         "no log has the number 2, of which there are rows in lists",
		"UPDATE runs SET log = 2 WHERE level=3":                                                                          "no log has the number 2, of which there are rows in runs",
		"INSERT INTO lists SELECT log, level, first, 1 << 20, terms FROM lists WHERE level=1 AND first=8 AND bucket=127": "lists: of level 1: a run has no such bucket",
		"INSERT INTO lists SELECT log, level, 7, bucket, terms FROM lists WHERE level=1 AND first=8":                     "lists: of level 1, at 7, where no run is",
		"UPDATE runs SET oldest = oldest - 1 WHERE level=2":                                                              "runs: of level 2: its times or parts are not theirs",
		"UPDATE runs SET parts = x'01' WHERE level=1":                                                                    "runs: of level 1: its times or parts are not theirs",
		"UPDATE runs SET late = x'07' WHERE level=3":                                                                     "runs: of level 3: its open intents are not those of its parts",
		"UPDATE runs SET open = x'07' WHERE level=3":                                                                     "runs: of level 3: its open intents are not those of its parts",
		"UPDATE runs SET next = next + 1 WHERE level=3":                                                                  "runs: of level 3: its parts are not there",
	} {
		tampered := filepath.Join(t.TempDir(), "evidence.db")
		if err := os.WriteFile(tampered, file, 0o600); err != nil {
			t.Fatal(err)
		}
		rewrite(t, tampered, statement)
		report, err := verify.Log(t.Context(), reader(t, tampered, sqlite.WithShape(shape, batch)), "gateway-1",
			audittest.Key(t, "gateway-1").Verifier(), verify.Options{Listed: 1000})
		if want == "" {
			if err != nil || !report.Sound() {
				t.Errorf("untouched: %v, %v", err, report.Flaws.Items)
			}
			continue
		}
		if !slices.ContainsFunc(report.Flaws.Items, func(f audit.Flaw) bool { return strings.Contains(f.String(), want) }) {
			t.Errorf("%s: %v, %v\nwant %s", statement, err, report.Flaws.Items, want)
		}
	}
}

// TestAMergeThatFailsIsToldOnce, and keeps nobody from writing and finding records.
func TestAMergeThatFailsIsToldOnce(t *testing.T) {
	const batch = 4
	path := filepath.Join(t.TempDir(), "evidence.db")
	s := open(t, path, sqlite.WithShape(1, batch))
	commitInvoices(t, s, 0, batch)
	closeStore(t, s)
	rewrite(t, path, "INSERT OR REPLACE INTO postings VALUES (1, 0, 0, x'00')")
	var told []audit.Merging
	s = open(t, path, sqlite.WithShape(1, batch), sqlite.WithMerging(func(m audit.Merging) { told = append(told, m) }))
	for n := batch; n < 6*batch; n += batch {
		commitInvoices(t, s, n, batch)
		s.Merge(t.Context())
	}
	for i := batch; i < 6*batch; i++ {
		found := 0
		for r, err := range s.Search(t.Context(), audit.Query{Log: "gateway-1", From: batch, PtoVta: 1, Number: int64(i) + 1}) {
			if err != nil || r.Index != uint64(i) {
				t.Fatal(r, err)
			}
			found++
		}
		if found != 1 {
			t.Errorf("invoice %d is found %d times", i, found)
		}
	}
	closeStore(t, s)
	if len(told) != 1 || !errors.Is(told[0].Err, audit.ErrDamaged) || told[0].Log != "gateway-1" {
		t.Errorf("told: %+v", told)
	}
}
