package sqlite_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/audit/sqlite"
	"github.com/fielato/fielato/internal/audittest"
)

// sold returns a record of an invoice for a receiver.
func sold(month time.Month, receiver int64) *audit.Record {
	return marked(20000000001, day(month), fmt.Sprintf(`{"FeCAEReq":{"FeDetReq":{"FECAEDetRequest":[{"DocTipo":96,"DocNro":%d}]}}}`, receiver))
}

// soldTo returns the indexes of the records with this receiver, newest first.
func soldTo(t *testing.T, s audit.Store, receiver int64) (found []uint64) {
	t.Helper()
	for r, err := range s.Search(t.Context(), audit.Query{Log: "gateway-1", Receiver: receiver, SummaryOnly: true}) {
		if err != nil {
			t.Fatal(err)
		}
		found = append(found, r.Index)
	}
	return found
}

// TestReceiversOfSealedContent are found with the key of the content alone, also beside content that was written
// without it. The trail verifies either way.
func TestReceiversOfSealedContent(t *testing.T) {
	path := filepath.Join(t.TempDir(), "evidence.db")
	key := contentKey(t, 1)
	for i, options := range [][]sqlite.Option{nil, {sqlite.WithContentKey(key)}, nil} { // sealed, and not any more
		s := open(t, path, options...)
		var many []*audit.Record
		for n := range 2300 { // a block and more
			many = append(many, sold(9, 20_000_000+int64(n)))
		}
		commit(t, s, append(many, sold(9, 30_111_222), sold(9, int64(40_000_000+i)))...)
		closeStore(t, s)
	}
	for _, test := range []struct {
		options []sqlite.Option
		want    []uint64
	}{{nil, []uint64{6904, 2300}}, {[]sqlite.Option{sqlite.WithContentKey(key)}, []uint64{6904, 4602, 2300}}} {
		s := reader(t, path, test.options...)
		if got := soldTo(t, s, 30_111_222); !slices.Equal(got, test.want) {
			t.Errorf("found %v, want %v", got, test.want)
		}
		if got := soldTo(t, s, 30_111_223); got != nil {
			t.Errorf("found %v of nobody", got)
		}
		audittest.Verify(t, s, "gateway-1")
	}
}

// TestReceiversOfPurgedContentAreNotFound.
func TestReceiversOfPurgedContentAreNotFound(t *testing.T) {
	path := filepath.Join(t.TempDir(), "evidence.db")
	s := open(t, path)
	defer closeStore(t, s)
	commit(t, s, sold(9, 30_111_222), sold(11, 30_111_222))
	if got := soldTo(t, s, 30_111_222); len(got) != 2 {
		t.Fatalf("found %v", got)
	}
	p := openPurger(t, path)
	defer closeStore(t, p)
	purge(t, p, november)
	if got := soldTo(t, s, 30_111_222); !slices.Equal(got, []uint64{1}) {
		t.Errorf("found %v", got)
	}
	audittest.Verify(t, s, "gateway-1")
}

// TestReceiversInATrailOfAnEarlierBuild are found, also beside those that this build has written.
func TestReceiversInATrailOfAnEarlierBuild(t *testing.T) {
	path := earlierStore(t)
	receiver, want := int64(0), []uint64(nil)
	s := reader(t, path)
	for r, err := range s.Search(t.Context(), audit.Query{Log: "gateway-1"}) {
		if err != nil {
			t.Fatal(err)
		}
		of := r.Receivers()
		if receiver == 0 && len(of) > 0 {
			receiver = of[0]
		}
		if receiver != 0 && slices.Contains(of, receiver) {
			want = append(want, r.Index)
		}
	}
	if receiver == 0 {
		t.Fatal("no record has a receiver")
	}
	if got := soldTo(t, s, receiver); !slices.Equal(got, want) {
		t.Errorf("found %v, want %v", got, want)
	}
	writer := open(t, path)
	defer closeStore(t, writer)
	audittest.Append(t, writer, "gateway-1", sold(11, receiver))
	for _, one := range []audit.Store{s, writer} {
		if got := soldTo(t, one, receiver); !slices.Equal(got, append([]uint64{20}, want...)) {
			t.Errorf("found %v, want 20 and %v", got, want)
		}
	}
}

// TestACopyHasTheIndexOfThisBuild: a receiver that nobody has is not looked for in the content of any record, as it is
// in the trail of an earlier build that was copied.
func TestACopyHasTheIndexOfThisBuild(t *testing.T) {
	earlier, path := earlierStore(t), filepath.Join(t.TempDir(), "evidence.db")
	copied := open(t, path)
	run := audit.Copy{From: reader(t, earlier), To: copied, Log: "gateway-1", Verifier: audittest.Key(t, "gateway-1").Verifier()}
	if _, err := run.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	receiver := int64(0)
	for r, err := range copied.Search(t.Context(), audit.Query{Log: "gateway-1"}) {
		if err != nil {
			t.Fatal(err)
		}
		for _, receiver = range r.Receivers() {
			if !slices.Contains(soldTo(t, copied, receiver), r.Index) {
				t.Errorf("record %d is not found by %d", r.Index, receiver)
			}
		}
	}
	audittest.Verify(t, copied, "gateway-1")
	closeStore(t, copied)
	if receiver == 0 {
		t.Fatal("no record has a receiver")
	}
	for _, one := range []struct {
		path   string
		looked bool
	}{{earlier, true}, {path, false}} {
		change(t, one.path, "UPDATE segments SET content = x'00' WHERE length(content) > 0")
		var failed error
		for _, err := range reader(t, one.path).Search(t.Context(), audit.Query{Log: "gateway-1", Receiver: receiver + 7}) {
			failed = err
		}
		if looked := failed != nil; looked != one.looked {
			t.Errorf("%s: content was read: %t, %v", one.path, looked, failed)
		}
	}
}
