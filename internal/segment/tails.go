package segment

import (
	"context"
	"slices"
	"sync"
)

// Tails has the keys of the records behind the last block of each log: every search reads them, and most
// were there for the one before. It is safe for concurrent use; the zero Tails is ready.
type Tails struct {
	mu   sync.Mutex // guards logs
	logs map[string]tailKeys
}

type tailKeys struct {
	first uint64
	keys  []keys // they do not change
}

const maxTails = 16 // of some 400 kB each

// keys returns the keys of the view's tail. It reads the ones that it does not know yet.
func (t *Tails) keys(ctx context.Context, rows Rows, log string, view View) ([]keys, error) {
	t.mu.Lock()
	known := t.logs[log]
	t.mu.Unlock()
	if known.first != view.Indexed {
		known = tailKeys{first: view.Indexed}
	}
	have, count := uint64(len(known.keys)), view.Size-view.Indexed
	if have >= count {
		return known.keys[:count], nil
	}
	more, err := keysBetween(ctx, rows, view.Indexed+have, view.Size)
	if err != nil {
		return nil, err
	}
	known.keys = append(slices.Clip(known.keys), more...)
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.logs == nil || len(t.logs) >= maxTails {
		t.logs = map[string]tailKeys{}
	}
	t.logs[log] = known
	return known.keys, nil
}
