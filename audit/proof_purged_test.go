package audit_test

import (
	"context"
	"iter"
	"testing"

	"github.com/fielato/fielato/audit"
)

// TestProofOfAPurgedRecordHoldsForItsSummary.
func TestProofOfAPurgedRecordHoldsForItsSummary(t *testing.T) {
	s, verifier := provable(t, 21)
	p, err := audit.ParseProof(prove(t, &purged{s}, verifier, 17).Marshal())
	if err != nil {
		t.Fatal(err)
	}
	got, err := p.Check(verifier)
	if err != nil {
		t.Fatal(err)
	}
	want, err := s.Get(t.Context(), log, 17)
	if err != nil || got.Presence != audit.Purged || got.ID != want.ID || got.Request != nil || want.Request == nil {
		t.Errorf("%v: %+v", err, got)
	}
}

// purged has no content any more.
type purged struct{ audit.Store }

func (s *purged) Scan(ctx context.Context, log string, first uint64) iter.Seq2[audit.Piece, error] {
	return func(yield func(audit.Piece, error) bool) {
		for piece, err := range s.Store.Scan(ctx, log, first) {
			unpack := piece.Unpack
			piece.Unpack = func() ([]audit.Form, error) {
				forms, err := unpack()
				for i := range forms {
					forms[i].Content, forms[i].Presence = nil, audit.Purged
				}
				return forms, err
			}
			if !yield(piece, err) {
				return
			}
		}
	}
}
