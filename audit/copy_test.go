package audit_test

import (
	"bytes"
	"context"
	"errors"
	"iter"
	"testing"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/audit/verify"
	"github.com/fielato/fielato/internal/audittest"
)

// copyTo copies the log of these tests.
func copyTo(t *testing.T, from, to audit.Store, verifier string) error {
	t.Helper()
	copied, err := (&audit.Copy{From: from, To: to, Log: log, Verifier: verifier}).Run(t.Context())
	if err == nil && copied.Origin != audit.Origin(log) {
		t.Errorf("copied %+v", copied)
	}
	return err
}

// sameLog: what there is of the log is the same in both stores, with its checkpoint and its
// proofs.
func sameLog(t *testing.T, from, to audit.Store, verifier string) {
	t.Helper()
	want, err := from.Head(t.Context(), log)
	if err != nil {
		t.Fatal(err)
	}
	got, err := to.Head(t.Context(), log)
	if err != nil || got.Size != want.Size || !bytes.Equal(got.Checkpoint, want.Checkpoint) {
		t.Fatalf("%d records, want %d; %v\n%s", got.Size, want.Size, err, got.Checkpoint)
	}
	report, err := verify.Log(t.Context(), to, log, verifier, verify.Options{Kept: want.Checkpoint})
	if err != nil || !report.Sound() {
		t.Fatalf("%v %+v", err, report.Flaws)
	}
	for index := uint64(0); index < want.Size; index += 97 {
		if !bytes.Equal(prove(t, from, verifier, index).Marshal(), prove(t, to, verifier, index).Marshal()) {
			t.Errorf("record %d has another proof", index)
		}
	}
}

// TestACopyIsTheLog: it has the same proofs and the same checkpoint, and is written on with the
// same key.
func TestACopyIsTheLog(t *testing.T) {
	for _, records := range []int{0, 1, 256, 512, 700, 1100} {
		from, verifier := provable(t, records)
		to := audittest.NewMemory()
		for range 2 { // the second time nothing is to be done
			if err := copyTo(t, from, to, verifier); err != nil {
				t.Fatalf("%d records: %v", records, err)
			}
			sameLog(t, from, to, verifier)
		}
		trail, err := audit.Open(t.Context(), to, log, audittest.Key(t, log), audit.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if index, err := trail.Append(t.Context(), audittest.NewSource(1).Next(0)); err != nil || index != uint64(records) {
			t.Errorf("going on at %d: %v", index, err)
		}
		if err := trail.Close(); err != nil {
			t.Fatal(err)
		}
		if err := copyTo(t, from, to, verifier); !errors.Is(err, audit.ErrCopyOther) {
			t.Errorf("onto a copy that has gone on: %v", err)
		}
	}
}

// TestACopyThatWasInterruptedGoesOn, and before is not taken for whole.
func TestACopyThatWasInterruptedGoesOn(t *testing.T) {
	from, verifier := provable(t, 1700)
	for _, fault := range []audittest.Fault{audittest.FaultBefore, audittest.FaultAfter} {
		inner := audittest.NewMemory()
		to := audittest.NewFaulty(inner, map[int]audittest.Fault{2: fault, 4: fault})
		failed := 0
		for copyTo(t, from, to, verifier) != nil {
			if failed++; failed > 2 {
				t.Fatal("it does not come to an end")
			}
			head, err := inner.Head(t.Context(), log)
			if err != nil || head.Size == 0 {
				t.Fatal(head, err)
			}
			if head.Size == 1700 {
				continue // the batch was the last, and is there
			}
			if _, err := audit.Open(t.Context(), inner, log, audittest.Key(t, log), audit.Options{}); !errors.Is(err, audit.ErrCopyUnfinished) || !errors.Is(err, audit.ErrUnsound) {
				t.Errorf("half a copy was opened: %v", err)
			}
			if report, err := verify.Log(t.Context(), inner, log, verifier, verify.Options{}); err != nil || report.Sound() || !report.Unfinished() {
				t.Errorf("half a copy is taken for something else: %+v, %v", report.Flaws, err)
			}
		}
		if failed == 0 {
			t.Error("it was not interrupted")
		}
		sameLog(t, from, inner, verifier)
		if is, err := audit.IsUnfinishedCopy(t.Context(), inner, log, audit.Checkpoint{}); is || err != nil {
			t.Errorf("a whole copy is not finished: %v", err)
		}
	}
}

// TestALogThatWasCutOffIsNoUnfinishedCopy, also where a copy was begun that it has left behind.
func TestALogThatWasCutOffIsNoUnfinishedCopy(t *testing.T) {
	from, verifier := provable(t, 1700)
	half := audittest.NewMemory()
	if copyTo(t, from, audittest.NewFaulty(half, map[int]audittest.Fault{2: audittest.FaultBefore}), verifier) == nil {
		t.Fatal("it was not interrupted")
	}
	for _, note := range []string{"", "1699", "x"} {
		if err := half.SetSetting(t.Context(), "copying/"+log, []byte(note)); err != nil {
			t.Fatal(err)
		}
		if _, err := audit.Open(t.Context(), half, log, audittest.Key(t, log), audit.Options{}); !errors.Is(err, audit.ErrUnsound) || errors.Is(err, audit.ErrCopyUnfinished) {
			t.Errorf("with %q: %v", note, err)
		}
		report, err := verify.Log(t.Context(), half, log, verifier, verify.Options{})
		if err != nil || report.Unfinished() || report.Flaws.Items[0].Kind != audit.FlawCutOff {
			t.Errorf("with %q: %+v, %v", note, report.Flaws, err)
		}
	}
}

// TestACopyOfALogThatHasGrownGetsTheRest.
func TestACopyOfALogThatHasGrownGetsTheRest(t *testing.T) {
	older, verifier := provable(t, 300)
	newer, _ := provable(t, 900) // begins with the same records
	to := audittest.NewMemory()
	for _, from := range []audit.Store{older, newer} {
		if err := copyTo(t, from, to, verifier); err != nil {
			t.Fatal(err)
		}
		sameLog(t, from, to, verifier)
	}
	if err := copyTo(t, older, to, verifier); !errors.Is(err, audit.ErrCopyOther) {
		t.Errorf("an older log over a newer copy: %v", err)
	}
}

// TestACopyOverwritesNothing of a log that is another one.
func TestACopyOverwritesNothing(t *testing.T) {
	from, verifier := provable(t, 300)
	to := audittest.NewMemory()
	add(t, to, log, audittest.NewSource(99).Next(0))
	if err := copyTo(t, from, to, verifier); !errors.Is(err, audit.ErrCopyOther) {
		t.Errorf("onto other records: %v", err)
	}
	if head, err := to.Head(t.Context(), log); err != nil || head.Size != 1 {
		t.Errorf("%d records: %v", head.Size, err)
	}
}

// presented is a store whose content is not there.
type presented struct {
	audit.Store
	as audit.Presence
}

func (p presented) Scan(ctx context.Context, log string, first uint64) iter.Seq2[audit.Piece, error] {
	return func(yield func(audit.Piece, error) bool) {
		for piece, err := range p.Store.Scan(ctx, log, first) {
			unpack := piece.Unpack
			piece.Unpack = func() ([]audit.Form, error) {
				forms, err := unpack()
				for i := range forms {
					if (i+int(piece.First))%5 == 3 {
						forms[i].Content, forms[i].Presence = nil, p.as
					}
				}
				return forms, err
			}
			if !yield(piece, err) {
				return
			}
		}
	}
}

// plain is a store without the optional parts.
type plain struct{ audit.Store }

// TestACopyKeepsPurgedRecordsPurged where the store takes them, and else fails. Sealed content
// is not copied.
func TestACopyKeepsPurgedRecordsPurged(t *testing.T) {
	from, verifier := provable(t, 20)
	audittest.Append(t, from, log, audittest.Access(audit.AccessPurge, 0, &audit.PurgeScope{Before: 1 << 20, Next: 20, Records: 4}))
	to := audittest.NewMemory()
	if err := copyTo(t, presented{from, audit.Purged}, to, verifier); err != nil {
		t.Fatal(err)
	}
	sameHead(t, from, to)
	for index := range uint64(20) {
		r, err := to.Get(t.Context(), log, index)
		if err != nil || (r.Presence == audit.Purged) != (index%5 == 3) {
			t.Errorf("record %d: %v %v", index, r.Presence, err)
		}
	}
	if report, err := verify.Log(t.Context(), to, log, verifier, verify.Options{}); err != nil || !report.Sound() || report.Purged != 4 {
		t.Errorf("%v %+v", err, report)
	}
	if err := copyTo(t, presented{from, audit.Purged}, plain{audittest.NewMemory()}, verifier); !errors.Is(err, audit.ErrCopyPurged) {
		t.Errorf("into a store that takes none: %v", err)
	}
	if err := copyTo(t, presented{from, audit.Sealed}, audittest.NewMemory(), verifier); !errors.Is(err, audit.ErrCopySealed) {
		t.Errorf("what is sealed: %v", err)
	}
}

func sameHead(t *testing.T, from, to audit.Store) {
	t.Helper()
	want, _ := from.Head(t.Context(), log)
	got, err := to.Head(t.Context(), log)
	if err != nil || got.Size != want.Size || !bytes.Equal(got.Checkpoint, want.Checkpoint) {
		t.Errorf("%d records, want %d: %v", got.Size, want.Size, err)
	}
}

// changed is a store that gives another record than it was given.
type changed struct{ audit.Store }

func (c changed) Scan(ctx context.Context, log string, first uint64) iter.Seq2[audit.Piece, error] {
	return func(yield func(audit.Piece, error) bool) {
		for piece, err := range c.Store.Scan(ctx, log, first) {
			if piece.First == 7 {
				r := audittest.NewSource(5).Next(7)
				piece.Unpack = func() ([]audit.Form, error) { return []audit.Form{r.Encode(nil)}, nil }
			}
			if !yield(piece, err) {
				return
			}
		}
	}
}

// TestACopyOfAChangedLogIsNeverWhole.
func TestACopyOfAChangedLogIsNeverWhole(t *testing.T) {
	from, verifier := provable(t, 20)
	to := audittest.NewMemory()
	if err := copyTo(t, changed{from}, to, verifier); !errors.Is(err, audit.ErrUnsound) {
		t.Errorf("%v", err)
	}
	if head, err := to.Head(t.Context(), log); err != nil || head.Size != 0 {
		t.Errorf("%d records: %v", head.Size, err)
	}
	if err := copyTo(t, from, to, audittest.Key(t, "other").Verifier()); !errors.Is(err, audit.ErrUnsound) {
		t.Errorf("signed by another key: %v", err)
	}
}
