package once

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/panics"
)

// LeaseManager admits this process to queues that other processes may use too: one turn at a
// time, by a lease. A turn takes the lease with its intent's commit, and returns it with its outcome's
// (Turn.Commit). Where it must know what others have done, it takes the lease before its intent. It
// is safe for concurrent use. Only the request that has the turn of a queue takes its lease.
//
// What holds across the loss of a lease: an intent is durable before anything is sent, and a
// process that takes a queue over settles its open intents first. So a holder that was cut
// off, or stood still for longer than its lease, can at worst send a request that the next holder
// finds. It checks that it still holds the lease as long as sending can be stopped
// (Turn.Held).
type LeaseManager struct {
	leases  audit.Leases
	process string
	// report receives the first of several errors of the background, and nil once the store answers again.
	report func(error)
	// now is the clock by which leases run out.
	now func() Instant

	// life ends the goroutines, which background waits for.
	life       context.Context
	end        context.CancelFunc
	background sync.WaitGroup
	// kick wakes the goroutine that keeps the leases: there is one to return.
	kick chan struct{}

	mu    sync.Mutex // guards the rest
	turns uint64     // counts the holders
	held  map[string]*heldLease
	// returning are the leases of turns without an intent.
	returning []audit.LeaseChange
	// waiting are the names that other processes have, and that a turn of this one waits for.
	// looking: a goroutine looks for those that have become free.
	waiting map[string]*waiting
	looking bool
}

// heldLease is a lease as this process knows it.
type heldLease struct {
	holder audit.Holder
	// asked is when the store was last asked for it. It lasts from then, so never longer
	// than by the store's clock.
	asked Instant
}

const (
	// leaseTime is how long a lease lasts that is not extended. It is extended when two thirds are left. What a
	// process has open that dies stays closed for that long.
	leaseTime = 4 * time.Second
	// leaseMargin is how long before its end a lease counts as lost.
	leaseMargin = time.Second
	// leaseBeat is how often the holder looks for leases to extend, as requests that take long need.
	leaseBeat = 500 * time.Millisecond
	// abandonedBeat is how often queues of processes that have died are looked for.
	abandonedBeat = 5 * time.Second
	// abandonedAtOnce bounds how many queues of dead processes are taken up in one go.
	abandonedAtOnce = 256
)

// NewLeaseManager returns a lease manager for a Coordinator, which closes it. Each process needs a name of its
// own, a restarted process too. report is called with an error when the store begins to fail in the
// background, and with nil when it answers again.
func NewLeaseManager(leases audit.Leases, process string, report func(error)) *LeaseManager {
	m := &LeaseManager{
		leases: leases, process: process, report: report, now: Now, kick: make(chan struct{}, 1),
		held: map[string]*heldLease{}, waiting: map[string]*waiting{},
	}
	m.life, m.end = context.WithCancel(context.Background())
	return m
}

// start begins to keep the leases. It reports queues whose process died to abandoned.
func (m *LeaseManager) start(abandoned func([]OrderingKey)) {
	panics.Go(&m.background, taskLeases, func() { m.keepLeases(m.life, abandoned) })
}

// close returns all leases. What was sent under them and not recorded is left to the next holders.
func (m *LeaseManager) close() {
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

// releaseTime bounds how long close waits for the store.
const releaseTime = 2 * time.Second

// errHeld: another process holds the lease.
var errHeld = errors.New("another gateway has the series")

// next returns a holder for one turn.
func (m *LeaseManager) next() audit.Holder {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.turns++
	return audit.Holder{Process: m.process, Turn: m.turns}
}

// take takes the lease for a turn, or returns errHeld.
func (m *LeaseManager) take(ctx context.Context, name string, holder audit.Holder) (audit.Lease, error) {
	asked := m.now()
	lease, err := m.leases.TakeLease(ctx, name, holder, leaseTime)
	switch {
	case err != nil:
		return lease, fmt.Errorf("%w: taking the series: %w", errJournal, err)
	case !lease.Held:
		return lease, errHeld
	}
	m.took(name, holder, asked)
	return lease, nil
}

// took notes that a turn has the lease.
func (m *LeaseManager) took(name string, holder audit.Holder, asked Instant) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.held[name] = &heldLease{holder: holder, asked: asked}
}

// holds reports whether a turn has the lease for some time to come.
func (m *LeaseManager) holds(name string, holder audit.Holder) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.lasts(name) && m.held[name].holder == holder
}

// inUse reports whether a turn of this process has the lease.
func (m *LeaseManager) inUse(name string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.lasts(name)
}

// lasts reports whether this process has a lease that may be relied upon. The caller holds mu.
func (m *LeaseManager) lasts(name string) bool {
	lease := m.held[name]
	return lease != nil && lease.remains(m.now()) > leaseMargin
}

// drop forgets the lease of a turn, and reports whether the turn had it.
func (m *LeaseManager) drop(name string, holder audit.Holder) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	lease := m.held[name]
	if lease == nil || lease.holder != holder {
		return false
	}
	delete(m.held, name)
	return true
}

// giveBack returns a lease in the background.
func (m *LeaseManager) giveBack(change audit.LeaseChange) {
	m.mu.Lock()
	m.returning = append(m.returning, change)
	m.mu.Unlock()
	select {
	case m.kick <- struct{}{}:
	default: // it is awake
	}
}

// remains returns how long the lease still lasts.
func (l *heldLease) remains(now Instant) time.Duration { return leaseTime - now.Since(l.asked) }
