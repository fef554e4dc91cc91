package audit_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/audittest"
)

func TestAppendGivesThePositionOnceDurable(t *testing.T) {
	s := audittest.NewMemory()
	trail := openTrail(t, s, audit.Options{})
	source := audittest.NewSource(1)
	for want := range uint64(3) {
		r := source.Issue(1)
		index, err := trail.Append(t.Context(), r)
		if err != nil || index != want || r.Index != want || r.Log != log {
			t.Fatalf("append: %d, %v, record at %s/%d; want %d", index, err, r.Log, r.Index, want)
		}
		if ids := stored(t, s); ids[want] != r.ID || trail.Size() != want+1 {
			t.Fatalf("record %d is not there, size %d", want, trail.Size())
		}
	}
	if err := trail.Close(); err != nil {
		t.Fatal(err)
	}
	if again := openTrail(t, s, audit.Options{}); again.Size() != 3 {
		t.Errorf("size after opening again: %d, want 3", again.Size())
	}
}

func TestRecordsThatWaitShareACommit(t *testing.T) {
	s := audittest.NewFaulty(audittest.NewMemory(), nil)
	observed := make(chan int, 100)
	trail := openTrail(t, s, audit.Options{MaxBatch: 8, Observe: func(records int, took time.Duration, err error) {
		if took < 0 || err != nil {
			t.Errorf("observed %v, %v", took, err)
		}
		observed <- records
	}})
	entered, release := s.Hold()
	var wg sync.WaitGroup
	appendOne := func(seed uint64) {
		wg.Go(func() {
			if _, err := trail.Append(t.Context(), audittest.NewSource(seed).Issue(1)); err != nil {
				t.Errorf("append: %v", err)
			}
		})
	}
	appendOne(0)
	<-entered
	for seed := range uint64(20) {
		appendOne(seed + 1)
	}
	trail.WaitQueued(20)
	release()
	wg.Wait()
	if err := trail.Close(); err != nil {
		t.Fatal(err)
	}
	close(observed)
	var batches []int
	for n := range observed {
		batches = append(batches, n)
	}
	if len(batches) != 4 || batches[0] != 1 || batches[1] != 8 || batches[2] != 8 || batches[3] != 4 {
		t.Errorf("batches of %v, want 1, 8, 8, 4", batches)
	}
}

func TestTrailTellsWhatWaitsAndSinceWhenNothingDoes(t *testing.T) {
	s := audittest.NewFaulty(audittest.NewMemory(), nil)
	var hour atomic.Int64
	trail := openTrail(t, s, audit.Options{Now: func() time.Time { return time.Unix(3600*hour.Load(), 0) }})
	if at := trail.Advanced(); at.Unix() != 0 || trail.Waiting() != 0 {
		t.Errorf("when it was opened: advanced %s, %d wait", at, trail.Waiting())
	}
	entered, release := s.Hold()
	var wg sync.WaitGroup
	for seed := range uint64(3) {
		wg.Go(func() {
			if _, err := trail.Append(t.Context(), audittest.NewSource(seed).Issue(1)); err != nil {
				t.Errorf("append: %v", err)
			}
		})
		if seed == 0 {
			<-entered
		}
	}
	trail.WaitQueued(2)
	hour.Store(1)
	if at := trail.Advanced(); trail.Waiting() != 3 || at.Unix() != 0 {
		t.Errorf("in a commit: advanced %s, %d wait; want one in the commit and two behind it", at, trail.Waiting())
	}
	release()
	wg.Wait()
	if at := trail.Advanced(); trail.Waiting() != 0 || at.Unix() != 3600 {
		t.Errorf("in the end: advanced %s, %d wait", at, trail.Waiting())
	}
}

func TestAppendTellsTheTruthAfterAFailedCommit(t *testing.T) {
	for name, test := range map[string]struct {
		fault audittest.Fault
		want  error // of the append whose commit fails
		there bool  // its record
	}{
		"nothing written":                 {audittest.FaultBefore, audittest.ErrInjected, false},
		"written all the same":            {audittest.FaultAfter, nil, true},
		"nothing written and nobody asks": {audittest.FaultBeforeSilent, audit.ErrUncertain, false},
		"written and nobody asks":         {audittest.FaultAfterSilent, audit.ErrUncertain, true},
	} {
		t.Run(name, func(t *testing.T) {
			s := audittest.NewFaulty(audittest.NewMemory(), map[int]audittest.Fault{2: test.fault})
			trail := openTrail(t, s, audit.Options{})
			source := audittest.NewSource(2)
			first, failing, next := source.Issue(1), source.Issue(1), source.Issue(1)
			if _, err := trail.Append(t.Context(), first); err != nil {
				t.Fatal(err)
			}
			if _, err := trail.Append(t.Context(), failing); !errors.Is(err, test.want) {
				t.Fatalf("append: %v, want %v", err, test.want)
			}
			index, err := trail.Append(t.Context(), next)
			if err != nil {
				t.Fatalf("append after the store works again: %v", err)
			}
			want := []string{first.ID, next.ID}
			if test.there {
				want = []string{first.ID, failing.ID, next.ID}
			}
			if got := stored(t, s); len(got) != len(want) || got[index] != next.ID || got[1] != want[1] {
				t.Fatalf("stored %v at %d, want %v", got, index, want)
			}
		})
	}
}

func TestSecondWriterOfALogGetsAConflict(t *testing.T) {
	s := audittest.NewMemory()
	one, two := openTrail(t, s, audit.Options{}), openTrail(t, s, audit.Options{})
	source := audittest.NewSource(3)
	r := source.Issue(1)
	if _, err := one.Append(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	if _, err := two.Append(t.Context(), source.Issue(1)); !errors.Is(err, audit.ErrConflict) {
		t.Fatalf("append of the second writer: %v, want ErrConflict", err)
	}
	if ids := stored(t, s); len(ids) != 1 || ids[0] != r.ID {
		t.Errorf("stored %v", ids)
	}
}

func TestFailedCommitIsNotTakenForAnotherWritersOfTheSameLength(t *testing.T) {
	inner := audittest.NewMemory()
	s := audittest.NewFaulty(inner, map[int]audittest.Fault{1: audittest.FaultBefore})
	mine, other := openTrail(t, s, audit.Options{}), openTrail(t, inner, audit.Options{})
	entered, release := s.Hold()
	failed := make(chan error)
	go func() {
		_, err := mine.Append(context.WithoutCancel(t.Context()), audittest.NewSource(4).Issue(1))
		failed <- err
	}()
	<-entered
	if _, err := other.Append(t.Context(), audittest.NewSource(5).Issue(1)); err != nil {
		t.Fatal(err)
	}
	release()
	if err := <-failed; !errors.Is(err, audit.ErrConflict) {
		t.Fatalf("append: %v, want ErrConflict", err)
	}
}

func TestCancelledAppendLeavesNoRecordBehind(t *testing.T) {
	s := audittest.NewFaulty(audittest.NewMemory(), nil)
	trail := openTrail(t, s, audit.Options{})
	entered, release := s.Hold()
	source := audittest.NewSource(6)
	taken, queued := source.Issue(1), source.Issue(1)
	ctx, cancel := context.WithCancel(t.Context())
	results := make(chan error, 1)
	go func() { _, err := trail.Append(ctx, taken); results <- err }()
	<-entered
	withdrawn := make(chan error, 1)
	go func() { _, err := trail.Append(ctx, queued); withdrawn <- err }()
	trail.WaitQueued(1)
	cancel()
	if err := <-withdrawn; !errors.Is(err, context.Canceled) {
		t.Fatalf("append that waits: %v, want context.Canceled", err)
	}
	release()
	if err := <-results; err != nil {
		t.Fatalf("append whose commit was under way: %v, want its success", err)
	}
	if _, err := trail.Append(ctx, source.Issue(1)); !errors.Is(err, context.Canceled) {
		t.Fatalf("append with a context that ended: %v", err)
	}
	if err := trail.Close(); err != nil {
		t.Fatal(err)
	}
	if ids := stored(t, s); len(ids) != 1 || ids[0] != taken.ID {
		t.Errorf("stored %v, want only %s", ids, taken.ID)
	}
}

func TestCloseWritesWhatWaits(t *testing.T) {
	s := audittest.NewFaulty(audittest.NewMemory(), nil)
	trail := openTrail(t, s, audit.Options{MaxBatch: 2})
	entered, release := s.Hold()
	var wg sync.WaitGroup
	appendOne := func(seed uint64) {
		wg.Go(func() {
			if _, err := trail.Append(t.Context(), audittest.NewSource(seed).Issue(1)); err != nil {
				t.Errorf("append before close: %v", err)
			}
		})
	}
	appendOne(0)
	<-entered
	for seed := range uint64(8) {
		appendOne(seed + 1)
	}
	trail.WaitQueued(8)
	release()
	if err := trail.Close(); err != nil {
		t.Fatal(err)
	}
	wg.Wait()
	if ids := stored(t, s); len(ids) != 9 {
		t.Errorf("%d records, want 9", len(ids))
	}
	if _, err := trail.Append(t.Context(), audittest.NewSource(9).Issue(1)); !errors.Is(err, audit.ErrClosed) {
		t.Errorf("append after close: %v, want ErrClosed", err)
	}
	if err := trail.Close(); !errors.Is(err, audit.ErrClosed) {
		t.Errorf("second close: %v, want ErrClosed", err)
	}
}
