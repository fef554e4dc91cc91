package audit_test

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/audittest"
)

// TestRecordWhoseCommitWasUncertainIsWrittenOnce, however often it is appended again, before or after
// others, and whether it had been written or not.
func TestRecordWhoseCommitWasUncertainIsWrittenOnce(t *testing.T) {
	for _, fault := range []audittest.Fault{audittest.FaultBeforeSilent, audittest.FaultAfterSilent} {
		for _, uncertain := range [][]int{{1}, {1, 2}, {1, 3}, {1, 2, 3}} {
			for _, between := range []int{0, 1, 20} {
				t.Run(fmt.Sprint(fault, uncertain, between), func(t *testing.T) {
					faults := map[int]audittest.Fault{}
					for _, n := range uncertain {
						faults[n] = fault
					}
					s := audittest.NewFaulty(audittest.NewMemory(), faults)
					trail := openTrail(t, s, audit.Options{MaxBatch: 8})
					source := audittest.NewSource(3)
					r := source.Issue(1)
					if _, err := trail.Append(t.Context(), r); !errors.Is(err, audit.ErrUncertain) {
						t.Fatalf("append: %v, want ErrUncertain", err)
					}
					for range between {
						again(t, trail, source.Issue(1))
					}
					index := again(t, trail, r)
					if got, err := s.Get(t.Context(), log, index); err != nil || !reflect.DeepEqual(got, r) {
						t.Errorf("at %d stands %+v, %v\nwant %+v", index, got, err, r)
					}
					ids := stored(t, s)
					if len(ids) != between+1 {
						t.Errorf("%d records, want %d", len(ids), between+1)
					}
					if first := slices.Index(ids, r.ID); first < 0 || slices.Contains(ids[first+1:], r.ID) {
						t.Errorf("%s is not there once: %v", r.ID, ids)
					}
					audittest.Verify(t, s, log)
				})
			}
		}
	}
}

// again appends a record until it is written.
func again(t *testing.T, trail *audit.Writer, r *audit.Record) uint64 {
	t.Helper()
	for range 10 {
		index, err := trail.Append(t.Context(), r)
		if err == nil {
			return index
		}
		if !errors.Is(err, audit.ErrUncertain) {
			t.Fatal(err)
		}
	}
	t.Fatal("never written")
	return 0
}
