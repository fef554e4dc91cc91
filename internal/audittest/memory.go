package audittest

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"
	"sync"

	"golang.org/x/mod/sumdb/tlog"

	"github.com/fielato/fielato/audit"
)

// Memory is an audit.Store that keeps everything in memory. It is the plain
// reading of the contract, for tests: nothing in it is durable or fast.
type Memory struct {
	mu       sync.Mutex // guards the rest
	closed   bool
	logs     map[string]*memoryLog
	secrets  map[string][]byte
	settings map[string][]byte
	holds    []audit.Hold // by CUIT
	purging  bool
	// Leases change with each commit, if they are set before.
	Leases *Leases
}

type memoryLog struct {
	records    []audit.Form
	decoded    []*audit.Record // of those, nil where nobody has asked yet
	leaves     []byte
	tiles      map[[2]uint64][]byte // by level and number
	checkpoint []byte
}

var (
	_ audit.Store       = (*Memory)(nil)
	_ audit.PurgedTaker = (*Memory)(nil)
)

// NewMemory returns an empty store.
func NewMemory() *Memory {
	return &Memory{logs: map[string]*memoryLog{}, secrets: map[string][]byte{}, settings: map[string][]byte{}}
}

// Reopen opens a closed store again, with what was committed to it.
func (m *Memory) Reopen() *Memory {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closed = false
	return m
}

// log returns what there is of a log. The caller holds mu.
func (m *Memory) log(name string) *memoryLog {
	log, ok := m.logs[name]
	if !ok {
		log = &memoryLog{tiles: map[[2]uint64][]byte{}}
		m.logs[name] = log
	}
	return log
}

// Head implements audit.Store.
func (m *Memory) Head(_ context.Context, log string) (audit.Head, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return audit.Head{}, audit.ErrClosed
	}
	kept := m.log(log)
	return audit.Head{Size: uint64(len(kept.records)), Checkpoint: slices.Clone(kept.checkpoint)}, nil
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
	log := m.log(batch.Log)
	size := uint64(len(log.records))
	if batch.First != size {
		return fmt.Errorf("%w: %d records, the batch starts at %d", audit.ErrConflict, size, batch.First)
	}
	if m.Leases != nil {
		if err := m.Leases.change(&batch); err != nil {
			return err
		}
	}
	for _, entry := range batch.Entries {
		log.records, log.decoded = append(log.records, entry.Form.Clone()), append(log.decoded, nil)
		log.leaves = append(log.leaves, entry.Leaf[:]...)
	}
	for _, tile := range batch.Tiles {
		log.tiles[[2]uint64{uint64(tile.Level), tile.N}] = slices.Clone(tile.Hashes)
	}
	log.checkpoint = slices.Clone(batch.Checkpoint)
	return nil
}

// TakesPurged implements audit.PurgedTaker.
func (m *Memory) TakesPurged() bool { return true }

// Tile implements audit.Store.
func (m *Memory) Tile(_ context.Context, log string, level int, n uint64) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return nil, audit.ErrClosed
	}
	hashes, ok := m.log(log).tiles[[2]uint64{uint64(level), n}]
	if !ok {
		return nil, fmt.Errorf("tile %d/%d of log %q: %w", level, n, log, audit.ErrNotFound)
	}
	return slices.Clone(hashes), nil
}

// Leaves implements audit.Store.
func (m *Memory) Leaves(_ context.Context, log string, first, end uint64) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return nil, audit.ErrClosed
	}
	leaves := m.log(log).leaves
	if first > end || end > uint64(len(leaves))/tlog.HashSize {
		return nil, fmt.Errorf("leaf hashes %d to %d of log %q: %w", first, end, log, audit.ErrNotFound)
	}
	return slices.Clone(leaves[first*tlog.HashSize : end*tlog.HashSize]), nil
}

// Scan implements audit.Store. Each piece is one record.
func (m *Memory) Scan(_ context.Context, log string, first uint64) iter.Seq2[audit.Piece, error] {
	return func(yield func(audit.Piece, error) bool) {
		m.mu.Lock()
		closed, kept := m.closed, slices.Clone(m.log(log).records)
		m.mu.Unlock()
		if closed {
			yield(audit.Piece{}, audit.ErrClosed)
			return
		}
		for index := first; index < uint64(len(kept)); index++ {
			unpack := func() ([]audit.Form, error) { return []audit.Form{kept[index].Clone()}, nil }
			if !yield(audit.Piece{First: index, Unpack: unpack}, nil) {
				return
			}
		}
	}
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
	if index >= uint64(len(m.log(log).records)) {
		return nil, fmt.Errorf("record %d of log %q: %w", index, log, audit.ErrNotFound)
	}
	r, err := audit.Decode(m.log(log).records[index])
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
	log := m.log(query.Log)
	for index, r := range log.decoded {
		if r != nil {
			continue
		}
		var err error
		if log.decoded[index], err = m.get(query.Log, uint64(index)); err != nil {
			return nil, err
		}
	}
	found := find(log.decoded, query)
	for i, r := range found { // a caller may change its own
		var err error
		if found[i], err = m.get(query.Log, r.Index); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// Logs implements audit.Store.
func (m *Memory) Logs(context.Context) ([]string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return nil, audit.ErrClosed
	}
	names := []string{}
	for _, name := range slices.Sorted(maps.Keys(m.logs)) {
		if log := m.logs[name]; len(log.records) > 0 || log.checkpoint != nil { // or it was only asked for
			names = append(names, name)
		}
	}
	return names, nil
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
