package verify_test

import (
	"context"
	"iter"
	"testing"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/audit/verify"
	"github.com/fielato/fielato/internal/audittest"
)

const log = "gateway-1"

// scanned changes what a store returns, also of the records.
type scanned struct {
	audittest.Twisted
	// forms changes the log's forms. Each form is a piece.
	forms func([]audit.Form) []audit.Form
	// first changes the index that each piece begins at.
	first func(uint64) uint64
	// fail is yielded after so many pieces.
	fail  error
	after int
	// unpack and check hold the errors of Unpack and Check, by piece.
	unpack, check map[uint64]error
}

func (s *scanned) Scan(ctx context.Context, log string, first uint64) iter.Seq2[audit.Piece, error] {
	return func(yield func(audit.Piece, error) bool) {
		var forms []audit.Form
		for piece, err := range s.Store.Scan(ctx, log, first) {
			if err != nil {
				yield(piece, err)
				return
			}
			one, err := piece.Unpack()
			if err != nil {
				panic(err)
			}
			forms = append(forms, one...)
		}
		if s.forms != nil {
			forms = s.forms(forms)
		}
		for i, form := range forms {
			if s.fail != nil && i == s.after {
				yield(audit.Piece{}, s.fail)
				return
			}
			at := uint64(i)
			piece := audit.Piece{
				First:  at,
				Unpack: func() ([]audit.Form, error) { return []audit.Form{form}, s.unpack[at] },
				Check:  func([]*audit.Record) error { return s.check[at] },
			}
			if s.first != nil {
				piece.First = s.first(at)
			}
			if !yield(piece, nil) {
				return
			}
		}
	}
}

// keptLog returns a log of n records in memory, and the checkpoints of some of its sizes.
func keptLog(t *testing.T, n uint64) (*audittest.Memory, map[uint64][]byte) {
	t.Helper()
	s, checkpoints := audittest.NewMemory(), map[uint64][]byte{}
	source := audittest.NewSource(1)
	for size := uint64(0); ; {
		batch := uint64(100)
		if size == 0 {
			batch = 7
		}
		var records []*audit.Record
		for at := size; at < min(size+batch, n); at++ {
			records = append(records, source.Next(at))
			records[len(records)-1].Salt = [16]byte{byte(at), byte(at >> 8)}
		}
		sealed := audittest.Seal(t, s, log, records...)
		if err := s.Commit(t.Context(), sealed); err != nil {
			t.Fatal(err)
		}
		size += uint64(len(records))
		checkpoints[size] = sealed.Checkpoint
		if size == n {
			return s, checkpoints
		}
	}
}

func verifier(t *testing.T) string { return audittest.Key(t, log).Verifier() }

func verified(t *testing.T, s audit.Store, options verify.Options) verify.Report {
	t.Helper()
	report, err := verify.Log(t.Context(), s, log, verifier(t), options)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

func firstFlaw(r verify.Report) string {
	if r.Sound() {
		return "sound"
	}
	return r.Flaws.Items[0].String()
}

// tiled is a store with one tile in which a bit is wrong, or which has this leaf hash of
// record 1000.
type tiled struct {
	scanned
	level int
	n     uint64
	leaf  [32]byte
}

func (s *tiled) Tile(ctx context.Context, log string, level int, n uint64) ([]byte, error) {
	hashes, err := s.Store.Tile(ctx, log, level, n)
	switch {
	case err != nil:
	case s.leaf != [32]byte{}:
		if level == 0 && n == 3 {
			copy(hashes[(1000-768)*32:], s.leaf[:])
		}
	case level == s.level && n == s.n && (level > 0 || n > 0):
		hashes[7*1024] ^= 1
	}
	return hashes, err
}
