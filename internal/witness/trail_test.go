package witness_test

import (
	"errors"
	"testing"

	"golang.org/x/mod/sumdb/tlog"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/audittest"
	"github.com/fielato/fielato/internal/witness"
)

// requestFor asks for a cosignature of a trail's newest checkpoint, with a proof from the store's own hashes.
func requestFor(t *testing.T, trail *audittest.Grown, old uint64) []byte {
	t.Helper()
	head, err := trail.Store.Head(t.Context(), trail.Log)
	if err != nil {
		t.Fatal(err)
	}
	request := witness.Request{Old: old, Checkpoint: head.Checkpoint}
	if old > 0 && old <= head.Size {
		if request.Proof, err = tlog.ProveTree(int64(head.Size), int64(old), audit.HashReader(t.Context(), trail.Store, trail.Log, head.Size)); err != nil {
			t.Fatal(err)
		}
	}
	return request.Encode()
}

// TestTheTrailOfAGatewayIsWitnessed: a trail grows over the edges of its tiles, and each checkpoint is signed. Another
// trail of the same key and name is refused: the proof of it shows that it was rewritten.
func TestTheTrailOfAGatewayIsWitnessed(t *testing.T) {
	s, trail := newScene(t), audittest.NewGrown(t, logName)
	old := uint64(0)
	for _, more := range []int{1, 4, 250, 1, 1, 270} {
		trail.Grow(more)
		signed, err := s.Add(requestFor(t, trail, old))
		if err != nil || signed.Head.Size != trail.Size {
			t.Fatalf("from %d to %d: %v", old, trail.Size, err)
		}
		old = signed.Head.Size
	}
	rewritten := audittest.NewGrown(t, logName)
	rewritten.Source = audittest.NewSource(8)
	rewritten.Grow(int(old) + 3)
	contradiction, ok := errors.AsType[*witness.ContradictionError](second(s.Add(requestFor(t, rewritten, old))))
	if !ok || contradiction.Finding.Verdict != witness.Rewritten || contradiction.Unkept != nil {
		t.Fatalf("%+v", contradiction)
	}
	tree, err := audit.ReadTree(t.Context(), rewritten.Store, logName, old)
	if err != nil || tree.Root() != contradiction.Finding.Other {
		t.Errorf("%v: the other root is not the one of the other trail", err)
	}
}
