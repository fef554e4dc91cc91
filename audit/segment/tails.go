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
	logs map[string]logTail
}

// logTail has the keys of consecutive records. They do not change.
type logTail struct {
	first uint64
	keys  []keys
}

// maxTails bounds the logs, of some 400 kB each.
const maxTails = 16

// keys returns those of the view's tail. What was not there before is read.
func (t *Tails) keys(ctx context.Context, rows Rows, log string, view View) ([]keys, error) {
	t.mu.Lock()
	known := t.logs[log]
	t.mu.Unlock()
	if known.first != view.Indexed {
		known = logTail{first: view.Indexed}
	}
	count := view.Size - view.Indexed
	if have := uint64(len(known.keys)); have < count {
		more, err := keysBetween(ctx, rows, view.Indexed+have, view.Size)
		if err != nil {
			return nil, err
		}
		known.keys = append(slices.Clip(known.keys), more...)
		t.keep(log, known)
	}
	return known.keys[:count], nil
}

// keep remembers a tail, unless a later one is known.
func (t *Tails) keep(log string, known logTail) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if now, ok := t.logs[log]; ok && now.first+uint64(len(now.keys)) > known.first+uint64(len(known.keys)) {
		return
	}
	if t.logs == nil || len(t.logs) >= maxTails && t.logs[log].keys == nil {
		t.logs = map[string]logTail{}
	}
	t.logs[log] = known
}
