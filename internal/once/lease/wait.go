package lease

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/fielato/fielato/internal/panics"
)

// waiting is a name that a turn of this process waits for.
type waiting struct {
	since time.Time
	free  chan struct{} // closed when the name can be taken
}

// Pauses between two looks at the names that turns wait for: a quarter of the time that the newest one has
// waited for, within these bounds. One look is for all names.
//
// The store does not tell who waits, as PostgreSQL could with NOTIFY: it lets only one transaction commit at a
// time that notifies, so every commit of every gateway would wait for the disk alone.
const (
	waitAnew     = time.Second
	shortestLook = 2 * time.Millisecond
	longestLook  = 50 * time.Millisecond
)

// Await returns when a name can probably be taken, or after the longest time that the turn waits for it, but a second at
// most: this process may have lost its place in the store.
func (m *Manager) Await(ctx context.Context, name string, longest time.Duration) {
	m.mu.Lock()
	w := &waiting{since: time.Now(), free: make(chan struct{})}
	m.waiting[name] = w
	if !m.looking && m.life.Err() == nil {
		m.looking = true
		panics.Go(&m.background, task, m.lookForFree)
	}
	m.mu.Unlock()
	timer := time.NewTimer(min(longest, waitAnew))
	defer timer.Stop()
	select {
	case <-w.free:
	case <-timer.C:
	case <-ctx.Done():
	case <-m.life.Done():
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.waiting[name] == w {
		delete(m.waiting, name)
	}
}

// lookForFree looks for the names that turns wait for, until none waits.
func (m *Manager) lookForFree() {
	for {
		names, pause := m.awaited()
		if len(names) == 0 {
			return
		}
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
		case <-m.life.Done():
			timer.Stop()
			return
		}
		var free []string
		err := panics.Do(task, func() (err error) {
			ctx, cancel := context.WithTimeout(m.life, releaseTime)
			defer cancel()
			free, err = m.leases.FreeLeases(ctx, m.process, names)
			return err
		})
		if err != nil {
			free = names // who tries to take one gets the error
		}
		m.wakeUp(free)
	}
}

// awaited returns the names that turns wait for, and the pause before the next look. Without names the caller
// ends.
func (m *Manager) awaited() (names []string, pause time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	pause = longestLook
	for _, w := range m.waiting {
		pause = min(pause, time.Since(w.since)/4)
	}
	m.looking = len(m.waiting) > 0
	return slices.Collect(maps.Keys(m.waiting)), max(pause, shortestLook)
}

func (m *Manager) wakeUp(free []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, name := range free {
		if w := m.waiting[name]; w != nil {
			close(w.free)
			delete(m.waiting, name)
		}
	}
}
