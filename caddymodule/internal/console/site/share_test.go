package site

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/audittest"
)

// counted counts the reads of a store that go on at a time.
type counted struct {
	audit.Store
	now, most atomic.Int32
}

func (c *counted) Get(ctx context.Context, log string, index uint64) (*audit.Record, error) {
	n := c.now.Add(1)
	defer c.now.Add(-1)
	if n > c.most.Load() {
		c.most.Store(n)
	}
	return c.Store.Get(ctx, log, index)
}

// sharedOver returns a store with records, as pages read it.
func sharedOver(t *testing.T, records int) (*sharedStore, *counted) {
	t.Helper()
	memory := audittest.NewMemory()
	var all []*audit.Record
	for range records {
		all = append(all, &audit.Record{Kind: audit.KindExchange, Operation: "FEDummy"})
	}
	if err := memory.Commit(t.Context(), audittest.Seal(t, memory, "a", all...)); err != nil {
		t.Fatal(err)
	}
	c := &counted{Store: memory}
	return &sharedStore{c, newShare()}, c
}

// TestOneReadAtATime: readers wait for each other, and one that reads more while it looks at a record waits
// for nobody.
func TestOneReadAtATime(t *testing.T) {
	store, reads := sharedOver(t, 50)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			seen := 0
			for r, err := range store.Search(t.Context(), audit.Query{Log: "a"}) {
				if err != nil {
					t.Error(err)
					return
				}
				if _, err := store.Get(t.Context(), r.Log, r.Index); err != nil {
					t.Error(err)
				}
				if seen++; seen == 20 {
					break
				}
			}
		})
	}
	all.Wait()
	if most := reads.most.Load(); most != 1 {
		t.Errorf("%d reads at a time", most)
	}
	if len(store.share.turn) > 0 {
		t.Error("a read has kept its turn")
	}
}

// TestReadersOfALogReadOneAtATime too.
func TestReadersOfALogReadOneAtATime(t *testing.T) {
	store, reads := sharedOver(t, 50)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			records, err := audit.ReaderOf(t.Context(), store, "a")
			if err != nil {
				t.Error(err)
				return
			}
			for index := range uint64(50) {
				if r, err := records.Get(t.Context(), index); err != nil || r.Index != index {
					t.Errorf("%v %v", r, err)
				}
			}
		})
	}
	all.Wait()
	if most := reads.most.Load(); most != 1 {
		t.Errorf("%d reads at a time", most)
	}
	if _, ok := audit.Store(store).(audit.Reading); !ok || len(store.share.turn) > 0 {
		t.Error("it reads each record alone, or has kept its turn")
	}
}

// TestAReaderWhoLeavesWaitsNoLonger, and one whose read panics keeps no turn.
func TestAReaderWhoLeavesWaitsNoLonger(t *testing.T) {
	store, _ := sharedOver(t, 1)
	if err := store.share.enter(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, leave := context.WithCancel(t.Context())
	leave()
	if _, err := store.Get(ctx, "a", 0); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	for _, err := range store.Search(ctx, audit.Query{Log: "a"}) {
		if !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	}
	store.share.leave()
	func() {
		defer func() {
			if recover() == nil {
				t.Error("no panic")
			}
		}()
		for range store.Search(t.Context(), audit.Query{Log: "a"}) {
			panic("a page")
		}
	}()
	if _, err := store.Get(t.Context(), "a", 0); err != nil {
		t.Error(err)
	}
}
