package run

import (
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/panics"
)

// Store is a store whose runs are merged.
type Store interface {
	// Index returns the rows of a log.
	Index(ctx context.Context, log string) (Rows, error)
	// WriteStep writes a step in one transaction, or nothing of it.
	WriteStep(ctx context.Context, log string, step *Step) error
}

// Merger merges the blocks of a store's logs into runs while commits continue. It is one goroutine, which the store
// ends with Stop. It is safe for concurrent use.
type Merger struct {
	store  Store
	tell   func(audit.Merging)
	wake   chan struct{}
	cancel context.CancelFunc
	done   chan struct{}

	mu sync.Mutex // guards what follows
	// logs are to be merged. The merging of those in failed has stopped until their next block, and this was told.
	logs, failed map[string]bool

	pass sync.Mutex // held while all that can be is merged
}

// NewMerger starts the goroutine. tell is told how a merging goes on that takes long, and why one has stopped; it
// may be nil.
func NewMerger(ctx context.Context, store Store, tell func(audit.Merging)) *Merger {
	if tell == nil {
		tell = func(audit.Merging) {}
	}
	m := &Merger{
		store: store, tell: tell, wake: make(chan struct{}, 1), done: make(chan struct{}),
		logs: map[string]bool{}, failed: map[string]bool{},
	}
	ctx, m.cancel = context.WithCancel(context.WithoutCancel(ctx))
	go func() {
		defer close(m.done)
		defer panics.Catch(task, nil)
		for {
			select {
			case <-ctx.Done():
				return
			case <-m.wake:
				m.Merge(ctx)
			}
		}
	}()
	return m
}

// task names the work in the error of a panic.
const task = "merging the search index"

// Wake says that the log has a new block, or may have some to merge. It waits for nothing.
func (m *Merger) Wake(log string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.logs[log] = true
	select {
	case m.wake <- struct{}{}:
	default:
	}
}

// Stop ends the goroutine between two steps of a merge.
func (m *Merger) Stop() {
	m.cancel()
	<-m.done
}

// Merge merges all blocks and runs that can be merged.
func (m *Merger) Merge(ctx context.Context) {
	m.pass.Lock()
	defer m.pass.Unlock()
	m.mu.Lock()
	logs := slices.Sorted(maps.Keys(m.logs))
	clear(m.logs)
	m.mu.Unlock()
	for _, log := range logs {
		err := panics.Do(task, func() error { return m.merge(ctx, log) })
		m.mu.Lock()
		known := m.failed[log]
		m.failed[log] = err != nil
		m.mu.Unlock()
		if err != nil && !known && ctx.Err() == nil {
			m.tell(audit.Merging{Log: log, Err: err})
		}
	}
}

func (m *Merger) merge(ctx context.Context, log string) error {
	rows, err := m.store.Index(ctx, log)
	if err != nil {
		return err
	}
	j := job{log: log, rows: rows, tell: m.tell, write: func(ctx context.Context, step *Step) error {
		return m.store.WriteStep(ctx, log, step)
	}}
	return j.run(ctx)
}
