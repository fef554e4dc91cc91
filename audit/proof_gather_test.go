package audit_test

import (
	"context"
	"errors"
	"iter"
	"testing"

	"github.com/fielato/fielato/audit"
)

// TestGatherReturnsWhatProvesNothing, so that somebody can be shown why: Prove refuses the same store.
func TestGatherReturnsWhatProvesNothing(t *testing.T) {
	s, verifier := provable(t, 21)
	whole, err := audit.Gather(t.Context(), s, log, "", 17)
	if err != nil || string(whole.Marshal()) != string(prove(t, s, verifier, 17).Marshal()) {
		t.Fatalf("what is sound is not the proof: %v", err)
	}
	for name, store := range map[string]audit.Store{
		"another content":    &otherForms{s, func(f *audit.Form) { f.Content[20] ^= 1 }},
		"another summary":    &otherForms{s, func(f *audit.Form) { f.Summary[9] ^= 1 }},
		"another checkpoint": &otherHead{s, []byte("none")},
		"no checkpoint":      &otherHead{s, nil},
	} {
		p, err := audit.Gather(t.Context(), store, log, "", 17)
		if err != nil || len(p.Form.Summary) == 0 || len(p.Hashes) == 0 {
			t.Errorf("%s: %v, %+v", name, err, p)
		}
		if _, err := audit.Prove(t.Context(), store, log, verifier, 17); !errors.Is(err, audit.ErrUnproven) {
			t.Errorf("%s: %v, want ErrUnproven", name, err)
		}
	}
	p, err := audit.Gather(t.Context(), &leafless{s}, log, "", 17)
	if !errors.Is(err, audit.ErrUnsound) || len(p.Form.Summary) == 0 || p.Checkpoint == nil {
		t.Errorf("without the leaves: %v, %+v", err, p)
	}
	p, err = audit.Gather(t.Context(), s, log, "", 21)
	if !errors.Is(err, audit.ErrNotFound) || p.Checkpoint == nil {
		t.Errorf("a record after the last: %v, %+v", err, p)
	}
}

// otherForms has other records.
type otherForms struct {
	audit.Store
	change func(*audit.Form)
}

func (s *otherForms) Scan(ctx context.Context, log string, first uint64) iter.Seq2[audit.Piece, error] {
	return func(yield func(audit.Piece, error) bool) {
		for piece, err := range s.Store.Scan(ctx, log, first) {
			unpack := piece.Unpack
			piece.Unpack = func() ([]audit.Form, error) {
				forms, err := unpack()
				for i := range forms {
					forms[i] = forms[i].Clone()
					s.change(&forms[i])
				}
				return forms, err
			}
			if !yield(piece, err) {
				return
			}
		}
	}
}

// otherHead has another checkpoint.
type otherHead struct {
	audit.Store
	checkpoint []byte
}

func (s *otherHead) Head(ctx context.Context, log string) (audit.Head, error) {
	head, err := s.Store.Head(ctx, log)
	head.Checkpoint = s.checkpoint
	return head, err
}

// leafless has lost the hashes of the tree.
type leafless struct{ audit.Store }

func (*leafless) Leaves(context.Context, string, uint64, uint64) ([]byte, error) { return nil, nil }
