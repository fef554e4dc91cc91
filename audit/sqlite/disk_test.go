package sqlite_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/audittest"
)

// large returns a record of about so many bytes that nothing compresses.
func large(source *rand.ChaCha8, size int) *audit.Record {
	r := &audit.Record{Kind: audit.KindExchange, Request: make([]byte, size)}
	_, _ = source.Read(r.Request) // never fails
	return r
}

func TestFullDiskRefusesAndLosesNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "evidence.db")
	s := open(t, path)
	trail, err := audit.Open(t.Context(), s, "gateway-1", audittest.Key(t, "gateway-1"), audit.Options{First: true})
	if err != nil {
		t.Fatal(err)
	}
	source := rand.NewChaCha8([32]byte{1})
	var written []*audit.Record
	add := func() error {
		r := large(source, 10_000)
		_, err := trail.Append(t.Context(), r)
		if err == nil {
			written = append(written, r)
		}
		return err
	}
	if err := add(); err != nil {
		t.Fatal(err)
	}
	if err := s.LimitPages(12); err != nil {
		t.Fatal(err)
	}
	for err = nil; err == nil; {
		err = add()
	}
	if !strings.Contains(err.Error(), "disk is full") || !strings.Contains(err.Error(), path) {
		t.Errorf("append on a full disk: %v", err)
	}
	if err := s.LimitPages(1 << 20); err != nil {
		t.Fatal(err)
	}
	if err := add(); err != nil {
		t.Fatalf("append when there is room again: %v", err)
	}
	if err := trail.Close(); err != nil {
		t.Fatal(err)
	}
	closeStore(t, s)
	s = open(t, path)
	defer closeStore(t, s)
	audittest.Verify(t, s, "gateway-1")
	if head, err := s.Head(t.Context(), "gateway-1"); err != nil || head.Size != uint64(len(written)) {
		t.Fatalf("head %d, %v; want %d", head.Size, err, len(written))
	}
	for i, r := range written {
		if got, err := s.Get(t.Context(), "gateway-1", uint64(i)); err != nil || string(got.Request) != string(r.Request) {
			t.Errorf("record %d: %v", i, err)
		}
	}
}

func TestBatchOfManyRowsIsAllOrNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "evidence.db")
	s := open(t, path)
	source := rand.NewChaCha8([32]byte{3})
	if err := s.Commit(t.Context(), batchOf(0, large(source, 10))); err != nil {
		t.Fatal(err)
	}
	// The first rows of the batch fit, the last ones do not.
	if err := s.LimitPages(200); err != nil {
		t.Fatal(err)
	}
	var records []*audit.Record
	for range 20 {
		records = append(records, large(source, 100_000))
	}
	if err := s.Commit(t.Context(), batchOf(1, records...)); err == nil {
		t.Fatal("2 MB went into 200 pages")
	}
	closeStore(t, s)
	s = open(t, path)
	defer closeStore(t, s)
	if head, err := s.Head(t.Context(), "gateway-1"); err != nil || head.Size != 1 {
		t.Errorf("head after half a batch: %d, %v; want 1", head.Size, err)
	}
}

func TestWriteAheadLogStaysSmallBesideASlowSearch(t *testing.T) {
	path := filepath.Join(t.TempDir(), "evidence.db")
	s := open(t, path)
	defer closeStore(t, s)
	if err := s.Commit(t.Context(), batchOf(0, audittest.NewSource(1).Issue(1))); err != nil {
		t.Fatal(err)
	}
	const records, size, bound = 400, 200_000, 40 << 20
	source := rand.NewChaCha8([32]byte{2})
	largest := int64(0)
	for _, err := range s.Search(t.Context(), audit.Query{Log: "gateway-1"}) {
		if err != nil {
			t.Fatal(err)
		}
		// The search is in the middle, all the time.
		for i := range uint64(records) {
			if err := s.Commit(t.Context(), batchOf(1+i, large(source, size))); err != nil {
				t.Fatal(err)
			}
			info, err := os.Stat(path + "-wal")
			if err != nil {
				t.Fatal(err)
			}
			largest = max(largest, info.Size())
		}
	}
	if largest > bound {
		t.Errorf("the write-ahead log grew to %d MB of the %d MB written", largest>>20, records*size>>20)
	}
	t.Logf("largest write-ahead log: %d MB", largest>>20)
}
