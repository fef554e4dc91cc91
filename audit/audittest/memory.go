package audittest

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"sync"

	"github.com/fielato/fielato/audit"
)

// Memory is an audit.Store that keeps everything in memory. It is the plain
// reading of the contract, for tests: nothing in it is durable or fast.
type Memory struct {
	mu      sync.Mutex // guards the rest
	closed  bool
	logs    map[string][][]byte // canonical forms
	secrets map[string][]byte
}

var _ audit.Store = (*Memory)(nil)

// NewMemory returns an empty store.
func NewMemory() *Memory {
	return &Memory{logs: map[string][][]byte{}, secrets: map[string][]byte{}}
}

// Reopen opens a closed store again, with what was committed to it.
func (m *Memory) Reopen() *Memory {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closed = false
	return m
}

// Head implements audit.Store.
func (m *Memory) Head(_ context.Context, log string) (audit.Head, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return audit.Head{}, audit.ErrClosed
	}
	return audit.Head{Size: uint64(len(m.logs[log]))}, nil
}

// Commit implements audit.Store.
func (m *Memory) Commit(ctx context.Context, batch audit.Batch) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("writing: %w", err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return audit.ErrClosed
	}
	size := uint64(len(m.logs[batch.Log]))
	for i, entry := range batch.Entries {
		if entry.Index != size+uint64(i) {
			return fmt.Errorf("%w: %d records, record %d comes", audit.ErrConflict, size, entry.Index)
		}
	}
	for _, entry := range batch.Entries {
		m.logs[batch.Log] = append(m.logs[batch.Log], slices.Clone(entry.Data))
	}
	return nil
}

// Get implements audit.Store.
func (m *Memory) Get(_ context.Context, log string, index uint64) (*audit.Record, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return nil, audit.ErrClosed
	}
	return m.get(log, index)
}

func (m *Memory) get(log string, index uint64) (*audit.Record, error) {
	if index >= uint64(len(m.logs[log])) {
		return nil, fmt.Errorf("record %d of log %q: %w", index, log, audit.ErrNotFound)
	}
	r, err := audit.Decode(m.logs[log][index])
	if err != nil {
		return nil, fmt.Errorf("record %d of log %q: %w", index, log, err)
	}
	r.Log, r.Index = log, index
	return r, nil
}

// Search implements audit.Store.
func (m *Memory) Search(ctx context.Context, query audit.Query) iter.Seq2[*audit.Record, error] {
	return func(yield func(*audit.Record, error) bool) {
		found, err := m.search(ctx, &query)
		if err != nil {
			yield(nil, err)
			return
		}
		for _, r := range found {
			if !yield(r, nil) {
				return
			}
		}
	}
}

func (m *Memory) search(ctx context.Context, query *audit.Query) ([]*audit.Record, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return nil, audit.ErrClosed
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("searching: %w", err)
	}
	var all []*audit.Record
	for index := range m.logs[query.Log] {
		r, err := m.get(query.Log, uint64(index))
		if err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	return Find(all, query), nil
}

// Secret implements audit.Store.
func (m *Memory) Secret(_ context.Context, name string, create func() ([]byte, error)) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return nil, audit.ErrClosed
	}
	if value, ok := m.secrets[name]; ok {
		return slices.Clone(value), nil
	}
	value, err := create()
	if err != nil {
		return nil, fmt.Errorf("making secret %q: %w", name, err)
	}
	m.secrets[name] = slices.Clone(value)
	return value, nil
}

// Close implements audit.Store.
func (m *Memory) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return audit.ErrClosed
	}
	m.closed = true
	return nil
}

// Find is the search that all stores are compared with: it looks at each record
// of the log. The records stand at their index.
func Find(log []*audit.Record, query *audit.Query) []*audit.Record {
	answered := map[uint64]bool{}
	for _, r := range log {
		if r.Kind == audit.KindOutcome {
			answered[r.Intent] = true
		}
	}
	var found []*audit.Record
	for _, r := range slices.Backward(log) {
		var intent *audit.Record
		switch {
		case r.Kind == audit.KindOutcome && r.Intent < uint64(len(log)):
			intent = log[r.Intent]
		case r.Kind == audit.KindIntent && answered[r.Index]:
			continue
		}
		if query.Matches(r, intent) {
			found = append(found, r)
		}
		if query.Limit > 0 && len(found) == query.Limit {
			break
		}
	}
	return found
}
