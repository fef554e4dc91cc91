package lease

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/clocks"
	"github.com/fielato/fielato/internal/panics"
)

// Manager has the leases of this process. It is safe for concurrent use. Only one turn at a time may use a name.
type Manager struct {
	leases  audit.Leases
	process string
	// report receives the first of several errors of the background, and nil once the store answers again.
	report func(error)
	// now is the clock by which leases run out.
	now func() clocks.Instant

	// life ends the goroutines, which background waits for.
	life       context.Context
	end        context.CancelFunc
	background sync.WaitGroup
	// kick wakes the goroutine that keeps the leases: there is one to return.
	kick chan struct{}

	mu    sync.Mutex // guards the rest
	turns uint64     // counts the holders
	held  map[string]*held
	// returning are the leases of turns without an intent.
	returning []audit.LeaseChange
	// waiting are the names that other processes have, and that a turn of this one waits for.
	// looking: a goroutine looks for those that have become free.
	waiting map[string]*waiting
	looking bool
}

// held is a lease as this process knows it.
type held struct {
	holder audit.Holder
	// asked is when the store was last asked for it. It lasts from then, so never longer
	// than by the store's clock.
	asked clocks.Instant
}

const (
	// TTL is how long a lease lasts that is not extended. It is extended when two thirds are left. What a
	// process has open that dies stays closed for that long.
	TTL = 4 * time.Second
	// margin is how long before its end a lease counts as lost.
	margin = time.Second
	// beat is how often the holder looks for leases to extend, as requests that take long need.
	beat = 500 * time.Millisecond
	// abandonedBeat is how often queues of processes that have died are looked for.
	abandonedBeat = 5 * time.Second
	// abandonedAtOnce bounds how many queues of dead processes are taken up in one go.
	abandonedAtOnce = 256
)

// New returns a manager that knows no lease; Start begins to keep them, and Close ends that. Each process needs a name
// of its own, a restarted process too. now is the clock by which leases run out. report is called with an error when
// the store begins to fail in the background, and with nil when it answers again.
func New(leases audit.Leases, process string, now func() clocks.Instant, report func(error)) *Manager {
	m := &Manager{
		leases: leases, process: process, report: report, now: now, kick: make(chan struct{}, 1),
		held: map[string]*held{}, waiting: map[string]*waiting{},
	}
	m.life, m.end = context.WithCancel(context.Background())
	return m
}

// Start begins to keep the leases. It reports the names of leases whose process died to abandoned.
func (m *Manager) Start(abandoned func(names []string)) {
	panics.Go(&m.background, task, func() { m.keep(m.life, abandoned) })
}

// Close returns all leases. What was sent under them and not recorded is left to the next holders.
func (m *Manager) Close() {
	m.end()
	m.background.Wait()
	ctx, cancel := context.WithTimeout(context.Background(), releaseTime)
	defer cancel()
	m.mu.Lock()
	for name, lease := range m.held {
		m.returning = append(m.returning, audit.LeaseChange{Name: name, Holder: lease.holder})
	}
	clear(m.held)
	m.mu.Unlock()
	if err := m.returnLeases(ctx); err != nil {
		m.report(err)
	}
}

// releaseTime bounds how long Close waits for the store.
const releaseTime = 2 * time.Second

// ErrHeld: another process holds the lease.
var ErrHeld = errors.New("another gateway has the series")

// Next returns a holder for one turn.
func (m *Manager) Next() audit.Holder {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.turns++
	return audit.Holder{Process: m.process, Turn: m.turns}
}

// Take takes the lease for a turn, or returns ErrHeld.
func (m *Manager) Take(ctx context.Context, name string, holder audit.Holder) (audit.Lease, error) {
	asked := m.now()
	lease, err := m.leases.TakeLease(ctx, name, holder, TTL)
	switch {
	case err != nil:
		return lease, fmt.Errorf("taking the series: %w", err)
	case !lease.Held:
		return lease, ErrHeld
	}
	m.Took(name, holder, asked)
	return lease, nil
}

// Now is the present moment by the clock of the leases. Who calls Took asks for it before the store is asked.
func (m *Manager) Now() clocks.Instant { return m.now() }

// Took notes that a turn has the lease, which it asked the store for at that moment.
func (m *Manager) Took(name string, holder audit.Holder, asked clocks.Instant) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.held[name] = &held{holder: holder, asked: asked}
}

// Holds reports whether a turn has the lease for some time to come.
func (m *Manager) Holds(name string, holder audit.Holder) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.lasts(name) && m.held[name].holder == holder
}

// InUse reports whether a turn of this process has the lease.
func (m *Manager) InUse(name string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.lasts(name)
}

// lasts reports whether this process has a lease that may be relied upon. The caller holds mu.
func (m *Manager) lasts(name string) bool {
	lease := m.held[name]
	return lease != nil && lease.remains(m.now()) > margin
}

// Drop forgets the lease of a turn, and reports whether the turn had it.
func (m *Manager) Drop(name string, holder audit.Holder) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	lease := m.held[name]
	if lease == nil || lease.holder != holder {
		return false
	}
	delete(m.held, name)
	return true
}

// GiveBack returns a lease in the background.
func (m *Manager) GiveBack(change audit.LeaseChange) {
	m.mu.Lock()
	m.returning = append(m.returning, change)
	m.mu.Unlock()
	select {
	case m.kick <- struct{}{}:
	default: // it is awake
	}
}

// remains returns how long the lease still lasts.
func (l *held) remains(now clocks.Instant) time.Duration { return TTL - now.Since(l.asked) }
