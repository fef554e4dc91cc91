package audit_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/audittest"
)

// TestExtensionTellsOneHistoryFromAnother, at every size at which a checkpoint was kept.
func TestExtensionTellsOneHistoryFromAnother(t *testing.T) {
	newest, verifier := provable(t, 600)
	now := checkpointOf(t, newest, verifier)
	for _, records := range []int{0, 1, 2, 255, 256, 257, 599, 600} {
		same, _ := provable(t, records)
		older := checkpointOf(t, same, verifier)
		if err := audit.CheckExtension(t.Context(), newest, log, older, now); err != nil {
			t.Errorf("from %d to 600: %v", records, err)
		}
		if records < 600 {
			err := audit.CheckExtension(t.Context(), same, log, now, older)
			if !errors.Is(err, audit.ErrUnsound) || !strings.Contains(err.Error(), "had 600") {
				t.Errorf("from 600 to %d: %v", records, err)
			}
		}
		older.Root[3] ^= 1
		err := audit.CheckExtension(t.Context(), newest, log, older, now)
		if !errors.Is(err, audit.ErrUnsound) || !strings.Contains(err.Error(), "another history") {
			t.Errorf("from another root at %d: %v", records, err)
		}
	}
	foreign := now
	foreign.Origin = "fielato/other"
	if err := audit.CheckExtension(t.Context(), newest, log, foreign, now); !errors.Is(err, audit.ErrUnsound) {
		t.Errorf("from another log: %v", err)
	}
}

func checkpointOf(t *testing.T, s audit.Store, verifier string) audit.Checkpoint {
	t.Helper()
	head, err := s.Head(t.Context(), log)
	if err != nil {
		t.Fatal(err)
	}
	checkpoint, err := audit.OpenCheckpoint(head.Checkpoint, verifier)
	if err != nil {
		t.Fatal(err)
	}
	return checkpoint
}

// TestTrailTellsItsNewestCheckpoint: the one that the store has, whatever became of the
// commits before.
func TestTrailTellsItsNewestCheckpoint(t *testing.T) {
	inner := audittest.NewMemory()
	s := audittest.NewFaulty(inner, map[int]audittest.Fault{
		2: audittest.FaultBefore, 3: audittest.FaultAfter, 5: audittest.FaultBeforeSilent, 7: audittest.FaultAfterSilent,
	})
	trail := openTrail(t, s, audit.Options{})
	source := audittest.NewSource(3)
	for n := range 9 {
		if _, err := trail.Append(t.Context(), source.Issue(1)); err != nil && (n == 0 || n == 2) {
			t.Fatal(err)
		} else if err != nil {
			continue
		}
		head, err := inner.Head(t.Context(), log)
		if err != nil || string(trail.Checkpoint()) != string(head.Checkpoint) {
			t.Errorf("after append %d: %v\n%s\nthe store has\n%s", n, err, trail.Checkpoint(), head.Checkpoint)
		}
	}
}
