package keeper

import (
	"bytes"
	"context"
	"sync"
	"time"
)

// Memory is a Store of one process. Its entries are lost with the process: the next one may have to
// wait for the window of the login service. It outlives the Keepers that share it, such as the Keepers
// of one configuration and the next. The zero value is ready for use.
type Memory struct {
	mu   sync.Mutex
	rows map[string]*row // guarded by mu
}

type row struct {
	holder string
	until  time.Time
	entry  []byte
}

// Take implements Store.
func (m *Memory) Take(ctx context.Context, name, holder string, long time.Duration) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := time.Now()
	r := m.rows[name]
	switch {
	case ctx.Err() != nil:
		return false, ctx.Err()
	case r == nil:
		if m.rows == nil {
			m.rows = map[string]*row{}
		}
		r = new(row)
		m.rows[name] = r
	case r.holder != holder && now.Before(r.until):
		return false, nil
	}
	r.holder, r.until = holder, now.Add(long)
	return true, nil
}

// Return implements Store.
func (m *Memory) Return(_ context.Context, name, holder string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if r := m.rows[name]; r != nil && r.holder == holder {
		r.holder, r.until = "", time.Time{}
	}
	return nil
}

// Load implements Store.
func (m *Memory) Load(ctx context.Context, name string) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if r := m.rows[name]; r != nil {
		return bytes.Clone(r.entry), ctx.Err()
	}
	return nil, ctx.Err()
}

// Save implements Store.
func (m *Memory) Save(ctx context.Context, name, holder string, entry []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	r := m.rows[name]
	if r == nil || r.holder != holder || !time.Now().Before(r.until) {
		return ErrNotHolder
	}
	r.entry = bytes.Clone(entry)
	return nil
}
