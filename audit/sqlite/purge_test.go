package sqlite_test

import (
	"bytes"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/audit/sqlite"
	"github.com/fielato/fielato/internal/audittest"
	"github.com/fielato/fielato/wsfev1"
)

// november is the period before which the tests purge.
var november = audit.PeriodOf(day(11))

func purge(t testing.TB, p *sqlite.Purger, before audit.Period) audit.PurgeResult {
	t.Helper()
	result, err := p.Purge(t.Context(), audit.PurgeRequest{Log: "gateway-1", Before: before})
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// bodyOf is a mark that no compression takes apart, for a record of a month.
func bodyOf(month time.Month, n int) string {
	return fmt.Sprintf("<%x>", []byte{byte(month), byte(n >> 8), byte(n), 0x5a, byte(n * 7), byte(n * 13)})
}

// TestPurgedBytesAreNotInTheFile, nor in its write-ahead log, while the gateway runs
// and after: neither bytes of this purge, nor bytes that SQLite moved about in an
// earlier one. Rows are small here, as that is where pages are rearranged.
func TestPurgedBytesAreNotInTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "evidence.db")
	s := open(t, path)
	defer closeStore(t, s)
	const each = 500
	for month := time.Month(9); month <= 12; month++ {
		appendMonth(t, s, month, each)
	}
	p := openPurger(t, path)
	defer closeStore(t, p)
	if err := p.Hold(t.Context(), audit.Hold{Cuit: 20000000002}); err != nil {
		t.Fatal(err)
	}
	gone := func(from, to time.Month, held bool) {
		t.Helper()
		for _, name := range []string{path, path + "-wal"} {
			content, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			for month := from; month < to; month++ {
				for n := range each {
					if n%50 == 49 == held && bytes.Contains(content, []byte(bodyOf(month, n))) {
						t.Fatalf("the body of record %d of %s is in %s", n, month, filepath.Base(name))
					}
				}
			}
		}
	}
	for month := time.Month(10); month <= 12; month++ {
		audittest.Purge(t, s, nil, p, audit.PurgeRequest{Log: "gateway-1", Before: audit.PeriodOf(day(month))})
		gone(9, month, false)
	}
	audittest.Verify(t, s, "gateway-1")
	if err := p.Release(t.Context(), 20000000002); err != nil {
		t.Fatal(err)
	}
	audittest.Purge(t, s, nil, p, audit.PurgeRequest{Log: "gateway-1", Before: audit.PeriodOf(day(12))})
	gone(9, 12, false)
	gone(9, 12, true)
	audittest.Verify(t, s, "gateway-1")
}

// appendMonth appends so many records of a month, in batches of one to four.
func appendMonth(t *testing.T, s audit.Store, month time.Month, each int) {
	t.Helper()
	trail, err := audit.Open(t.Context(), s, "gateway-1", audittest.Key(t, "gateway-1"), audit.Options{First: true})
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for w := range 4 {
		wg.Go(func() {
			for n := w; n < each; n += 4 {
				cuit := wsfev1.CUIT(20000000001 + n%50/49) // one in fifty is held
				r := marked(cuit, day(month), bodyOf(month, n))
				if n%97 == 0 {
					r.Answer = bytes.Repeat([]byte(bodyOf(month, n)), 4000) // more than a page
				}
				if _, err := trail.Append(t.Context(), r); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if err := trail.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestPurgeGivesRoomBack: what comes next is written where content was.
func TestPurgeGivesRoomBack(t *testing.T) {
	path := filepath.Join(t.TempDir(), "evidence.db")
	s := open(t, path)
	random := rand.NewChaCha8([32]byte{4})
	fillMonth := func(month time.Month) {
		for range 3 {
			var batch []*audit.Record
			for range 512 {
				r := large(random, 1000)
				r.Time = day(month)
				batch = append(batch, r)
			}
			commit(t, s, batch...)
		}
	}
	for month := time.Month(4); month <= 10; month++ {
		fillMonth(month)
	}
	p := openPurger(t, path)
	result := purge(t, p, november)
	if free := int64(pragma(t, path, "freelist_count")) * 4096; free < result.Bytes/2 {
		t.Errorf("%d bytes of content were removed, %d are free", result.Bytes, free)
	}
	pages := pragma(t, path, "page_count")
	fillMonth(11)
	if after := pragma(t, path, "page_count"); after != pages {
		t.Errorf("the file has grown from %d to %d pages", pages, after)
	}

	// Compact does not wait: it is refused beside a gateway.
	if err := p.Compact(t.Context()); !errors.Is(err, sqlite.ErrLocked) {
		t.Errorf("compact beside a gateway: %v, want ErrLocked", err)
	}
	closeStore(t, s)
	before, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Compact(t.Context()); err != nil {
		t.Fatal(err)
	}
	after, err := os.Stat(path)
	if err != nil || after.Size() > before.Size()-result.Bytes/2 {
		t.Errorf("compact: from %d to %d bytes, %v, after %d were removed", before.Size(), after.Size(), err, result.Bytes)
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	s = open(t, path)
	defer closeStore(t, s)
	audittest.Verify(t, s, "gateway-1")
}

// TestPurgeGoesByBlocks: it passes over blocks of young records as a whole, and misses no old
// record in between.
func TestPurgeGoesByBlocks(t *testing.T) {
	path := filepath.Join(t.TempDir(), "evidence.db")
	s := open(t, path)
	defer closeStore(t, s)
	old := map[uint64]bool{100: true, 13_000: true, 13_001: true, 17_500: true}
	for first := uint64(0); first < 18_000; first += 500 {
		var batch []*audit.Record
		for index := first; index < first+500; index++ {
			at := day(11)
			if old[index] {
				at = day(10)
			}
			batch = append(batch, marked(20000000001, at, "mark"))
		}
		commit(t, s, batch...)
	}
	if blocks := pragmaOf(t, path, "SELECT count(*) FROM blocks"); blocks < 3 {
		t.Fatalf("%d blocks put nothing to the proof", blocks)
	}
	p := openPurger(t, path)
	defer closeStore(t, p)
	if result := purge(t, p, november); result.Total().Purged != uint64(len(old)) {
		t.Errorf("%+v, want %d purged", result, len(old))
	}
	for index := range uint64(18_000) {
		if index%50 != 0 && !old[index] && !old[index+1] && !old[index-1] {
			continue
		}
		want := audit.Present
		if old[index] {
			want = audit.Purged
		}
		if r, err := s.Get(t.Context(), "gateway-1", index); err != nil || r.Presence != want {
			t.Errorf("record %d: %v, %v; want %v", index, r.Presence, err, want)
		}
	}
	audittest.Verify(t, s, "gateway-1")
}

// TestDestroyedKeyIsNotUsedAgain: a gateway that has the key in memory writes a record
// of the period with a new one.
func TestDestroyedKeyIsNotUsedAgain(t *testing.T) {
	path := filepath.Join(t.TempDir(), "evidence.db")
	sealed := sqlite.WithContentKey(contentKey(t, 1))
	s := open(t, path, sealed)
	defer closeStore(t, s)
	commit(t, s, marked(20000000001, day(10), "early"))
	p := openPurger(t, path) // needs no key
	defer closeStore(t, p)
	if result := purge(t, p, november); result.Keys != 1 || result.Total().Purged != 1 {
		t.Fatalf("%+v, want one record and its key", result)
	}
	commit(t, s, marked(20000000001, day(10), "late"), marked(20000000001, day(11), "later"))
	audittest.Verify(t, s, "gateway-1")
	for index, want := range []string{"", "late", "later"} {
		if r, err := s.Get(t.Context(), "gateway-1", uint64(index)); err != nil || string(r.Request) != want {
			t.Errorf("record %d: %+v, %v; want %q", index, r, err, want)
		}
	}
	if result := purge(t, p, november); result.Keys != 1 || result.Total().Purged != 1 {
		t.Errorf("%+v, want the late record and its key", result)
	}
}

// TestHeldBesideOthersNeedsTheKey, and nothing else does.
func TestHeldBesideOthersNeedsTheKey(t *testing.T) {
	path := filepath.Join(t.TempDir(), "evidence.db")
	sealed := sqlite.WithContentKey(contentKey(t, 1))
	s := open(t, path, sealed)
	defer closeStore(t, s)
	commit(t, s, marked(20000000001, day(10), "alone"))
	commit(t, s, marked(20000000001, day(10), "beside"), marked(20000000002, day(10), "held"))
	p := openPurger(t, path)
	if err := p.Hold(t.Context(), audit.Hold{Cuit: 20000000002}); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Purge(t.Context(), audit.PurgeRequest{Log: "gateway-1", Before: november}); err == nil {
		t.Error("purged without the key that it needs")
	}
	closeStore(t, p)
	p = openPurger(t, path, sealed)
	defer closeStore(t, p)
	if result := purge(t, p, november); result.Keys != 0 || result.Total() != (audit.PurgeCount{Purged: 2, Held: 1}) {
		t.Errorf("%+v, want 2 purged, 1 held, and its key kept", result)
	}
	if r, err := s.Get(t.Context(), "gateway-1", 2); err != nil || string(r.Request) != "held" {
		t.Errorf("the held record: %+v, %v", r, err)
	}
	audittest.Verify(t, s, "gateway-1")
}

func pragma(t *testing.T, path, name string) int { return pragmaOf(t, path, "PRAGMA "+name) }

// pragmaOf returns the one number that a query gives.
func pragmaOf(t *testing.T, path, query string) (n int) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.QueryRow(query).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}
