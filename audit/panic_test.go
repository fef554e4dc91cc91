package audit_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/audittest"
	"github.com/fielato/fielato/internal/panics"
)

// panicky is a store that panics on demand.
type panicky struct {
	audit.Store
	beforeCommit, afterCommit atomic.Bool
}

func (p *panicky) Commit(ctx context.Context, batch audit.Batch) error {
	if p.beforeCommit.Load() {
		panic("before the commit")
	}
	err := p.Store.Commit(ctx, batch)
	if p.afterCommit.Load() {
		panic("after the commit")
	}
	return err
}

// TestAStoreThatPanicsFailsTheAppendAlone: the writer continues with the next record, and
// knows whether the previous one is in the log.
func TestAStoreThatPanicsFailsTheAppendAlone(t *testing.T) {
	store := &panicky{Store: audittest.NewMemory()}
	trail, err := audit.Open(t.Context(), store, "edge", audittest.Key(t, "edge"), audit.Options{First: true})
	if err != nil {
		t.Fatal(err)
	}
	defer trail.Close()
	add := func() (uint64, error) { return trail.Append(t.Context(), &audit.Record{Kind: audit.KindExchange}) }
	store.beforeCommit.Store(true)
	if _, err := add(); !errors.As(err, new(*panics.Error)) {
		t.Errorf("an append to a store that panics: %v", err)
	}
	store.beforeCommit.Store(false)
	store.afterCommit.Store(true)
	if index, err := add(); err != nil || index != 0 {
		t.Errorf("a record that was written before the panic: %d, %v", index, err)
	}
	store.afterCommit.Store(false)
	if index, err := add(); err != nil || index != 1 {
		t.Errorf("the record after it: %d, %v", index, err)
	}
	audittest.Verify(t, store.Store, "edge")
}
