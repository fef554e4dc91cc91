package sqlite_test

import (
	"bytes"
	"path/filepath"
	"slices"
	"testing"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/audittest"
)

// TestRowsKeepTheirBytes: what a row holds stays as it is while later rows are read. Pieces are read many at a
// time, and unpacked afterwards.
func TestRowsKeepTheirBytes(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "evidence.db"))
	defer closeStore(t, s)
	source := audittest.NewSource(9)
	var want []audit.Form
	for size := uint64(0); size < 200; size += 2 {
		records := []*audit.Record{source.Next(size), source.Next(size + 1)}
		if err := s.Commit(t.Context(), audittest.Seal(t, s, "gateway-1", records...)); err != nil {
			t.Fatal(err)
		}
		for _, r := range records {
			want = append(want, r.Encode(nil))
		}
	}
	var pieces []audit.Piece
	for piece, err := range s.Scan(t.Context(), "gateway-1", 0) {
		if err != nil {
			t.Fatal(err)
		}
		pieces = append(pieces, piece)
	}
	var got []audit.Form
	for _, piece := range slices.Backward(pieces) {
		forms, err := piece.Unpack()
		if err != nil {
			t.Fatal(err)
		}
		got = append(slices.Clone(forms), got...)
	}
	if len(pieces) != 100 || len(got) != len(want) {
		t.Fatalf("%d records in %d pieces", len(got), len(pieces))
	}
	for i := range want {
		if !bytes.Equal(got[i].Summary, want[i].Summary) || !bytes.Equal(got[i].Content, want[i].Content) {
			t.Errorf("record %d is another one", i)
		}
	}
}
