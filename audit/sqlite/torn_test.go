package sqlite_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/audittest"
)

// TestTornLogKeepsWhatWasAcknowledgedBefore simulates power cuts: the write-ahead log ends
// somewhere, or with what was never written. Each commit was synced before it was acknowledged,
// so that a disk that obeys loses none of it. Of what comes after, a batch is there whole or
// not at all, with its checkpoint.
func TestTornLogKeepsWhatWasAcknowledgedBefore(t *testing.T) {
	random := rand.New(rand.NewPCG(20261120, 0))
	torn := newTornTrail(t, random)
	whole := torn.ends[len(torn.ends)-1]
	for range 15 {
		cut := random.IntN(whole + 1)
		torn.open(t, torn.wal[:cut], torn.before(cut))
	}
	for range 8 { // garbage from somewhere on, as long as what was there or longer
		cut := random.IntN(whole + 1)
		bad := slices.Clone(torn.wal[:cut])
		for range whole - cut + random.IntN(3*4096) {
			bad = append(bad, byte(random.Uint32()))
		}
		torn.open(t, bad, torn.before(cut))
	}
	for _, end := range torn.ends { // space that was given to the file and not written
		torn.open(t, append(slices.Clone(torn.wal[:end]), make([]byte, 3*4096)...), torn.before(end))
	}
}

// tornTrail is a trail whose process has died: its file, its write-ahead log.
type tornTrail struct {
	file, wal []byte
	records   []*audit.Record
	// ends are the lengths of the log after each commit since it began anew, sizes the
	// number of records then. The first are those before any.
	ends  []int
	sizes []int
}

// before returns how many records were acknowledged before the log was so long.
func (torn *tornTrail) before(length int) (records int) {
	for i, end := range torn.ends {
		if end <= length {
			records = torn.sizes[i]
		}
	}
	return records
}

// newTornTrail commits batches of different sizes, and before these others whose
// remains stand in the log behind them, as it is written from the beginning again.
func newTornTrail(t *testing.T, random *rand.Rand) *tornTrail {
	t.Helper()
	torn, source := &tornTrail{}, audittest.NewSource(5)
	path := filepath.Join(t.TempDir(), "evidence.db")
	s := open(t, path)
	defer closeStore(t, s)
	commit := func(records int) {
		var batch []*audit.Record
		for range records {
			batch = append(batch, source.Next(uint64(len(torn.records)+len(batch))))
		}
		if err := s.Commit(t.Context(), audittest.Seal(t, s, "gateway-1", batch...)); err != nil {
			t.Fatal(err)
		}
		torn.records = append(torn.records, batch...)
	}
	for range 2 {
		commit(150)
	}
	if err := s.Exec("PRAGMA wal_checkpoint(FULL)"); err != nil {
		t.Fatal(err)
	}
	torn.ends, torn.sizes = append(torn.ends, 0), append(torn.sizes, len(torn.records))
	before := readFile(t, path+"-wal")
	for range 10 {
		commit(1 + random.IntN(20))
		torn.wal = readFile(t, path+"-wal")
		end := len(torn.wal)
		if end != len(before) {
			t.Fatalf("the log has %d bytes and had %d: it was not written from the beginning", end, len(before))
		}
		for torn.wal[end-1] == before[end-1] {
			end-- // what stood there before
		}
		// A frame is a page and its header; the log has a header too.
		const frame, header = 4096 + 24, 32
		end = header + (end-header+frame-1)/frame*frame
		torn.ends, torn.sizes = append(torn.ends, end), append(torn.sizes, len(torn.records))
	}
	torn.file = readFile(t, path)
	return torn
}

// open opens the torn files in a folder of their own, reads all records and appends.
func (torn *tornTrail) open(t *testing.T, wal []byte, acknowledged int) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "evidence.db")
	for name, content := range map[string][]byte{path: torn.file, path + "-wal": wal} {
		if err := os.WriteFile(name, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s := open(t, path)
	defer closeStore(t, s)
	trail, err := audit.Open(t.Context(), s, "gateway-1", audittest.Key(t, "gateway-1"), audit.Options{})
	if err != nil {
		t.Fatalf("opening the trail with %d bytes of log: %v", len(wal), err)
	}
	if size := int(trail.Size()); size != acknowledged {
		t.Fatalf("%d records with %d bytes of log, %d were acknowledged before", size, len(wal), acknowledged)
	}
	if acknowledged > 0 {
		want := torn.records[acknowledged-1]
		if r, err := s.Get(t.Context(), "gateway-1", uint64(acknowledged-1)); err != nil || r.ID != want.ID {
			t.Fatalf("record %d: %v, or another one", acknowledged-1, err)
		}
	}
	if _, err := trail.Append(t.Context(), &audit.Record{Kind: audit.KindExchange}); err != nil {
		t.Fatal(err)
	}
	if err := trail.Close(); err != nil {
		t.Fatal(err)
	}
	audittest.Verify(t, s, "gateway-1")
}

func readFile(t *testing.T, path string) []byte {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return content
}
