package once

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/panics"
)

// LeaseManager admits this process to queues that other processes may use too: one process at a
// time, by a lease. A lease is kept after a turn, so that the next turn costs nothing, until
// another process wants it. It is safe for concurrent use. Only the request that has the
// turn of a queue enters it.
//
// What holds across the loss of a lease: an intent is durable before anything is sent, and a
// process that takes a queue over settles its open intents first. So a holder that was cut
// off, or stood still for longer than its lease, can at worst send a request that the next holder
// finds. It checks that it still holds the lease as long as sending can be stopped
// (Turn.Held).
type LeaseManager struct {
	leases audit.Leases
	holder string
	// report receives the first of several errors of the background, and nil once the store answers again.
	report func(error)
	// now is the clock by which leases run out.
	now func() Instant

	end        context.CancelFunc
	background sync.WaitGroup
	// kick wakes the renewal of the leases.
	kick chan struct{}

	mu   sync.Mutex // guards the rest
	held map[string]*heldLease
	// generations are the generations of the leases that this process had, returned ones too.
	generations map[string]int64
}

const (
	// leaseTime is how long a lease lasts. It is renewed when two thirds are left, and so
	// outlasts a store that is away for a few seconds. The queues of a process that dies
	// stay closed for that long.
	leaseTime = 10 * time.Second
	// leaseMargin is how long before its end a lease counts as lost.
	leaseMargin = 2 * time.Second
	// leaseBeat is how often the holder checks whether another process wants a queue.
	leaseBeat = 50 * time.Millisecond
	// leaseIdle is how long a queue without requests is held, and how often queues of
	// processes that have died are looked for.
	leaseIdle = 5 * time.Second
	// maxGenerations bounds the memory of returned leases. The journal is asked again about
	// a queue that is forgotten.
	maxGenerations = 65_536
	// abandonedAtOnce bounds how many queues of dead processes are taken up in one go.
	abandonedAtOnce = 256
)

// NewLeaseManager returns a lease manager for a Coordinator, which closes it. Each process needs a holder of its
// own, a restarted process too. report is called with an error when the store begins to fail in the
// background, and with nil when it answers again.
func NewLeaseManager(leases audit.Leases, holder string, report func(error)) *LeaseManager {
	return &LeaseManager{
		leases: leases, holder: holder, report: report, now: Now, kick: make(chan struct{}, 1),
		held: map[string]*heldLease{}, generations: map[string]int64{},
	}
}

// start begins to renew the leases. It reports queues whose process died to abandoned.
func (m *LeaseManager) start(abandoned func([]OrderingKey)) {
	ctx, end := context.WithCancel(context.Background())
	m.end = end
	panics.Go(&m.background, taskLeases, func() { m.keepLeases(ctx, abandoned) })
}

// close returns all leases.
func (m *LeaseManager) close() {
	m.end()
	m.background.Wait()
	ctx, cancel := context.WithTimeout(context.Background(), leaseMargin)
	defer cancel()
	m.mu.Lock()
	names := slices.Collect(maps.Keys(m.held))
	clear(m.held)
	m.mu.Unlock()
	if len(names) == 0 {
		return
	}
	if err := m.leases.ReturnLeases(ctx, m.holder, names); err != nil {
		m.report(fmt.Errorf("giving the series back to other gateways: %w", err))
	}
}

// errHeld: another process holds the lease.
var errHeld = errors.New("another gateway has the series")

// enter takes the lease, or returns errHeld. It reports whether another process may have
// used the queue since this one did.
func (m *LeaseManager) enter(ctx context.Context, key OrderingKey) (fresh bool, err error) {
	name := key.name()
	for {
		left, known := m.reenter(name)
		if known {
			return false, nil
		}
		if left == nil {
			break
		}
		select {
		case <-left:
		case <-ctx.Done():
			return false, fmt.Errorf("waiting for the series: %w", ctx.Err())
		}
	}
	asked := m.now()
	lease, err := m.leases.TakeLease(ctx, name, m.holder, leaseTime)
	switch {
	case err != nil:
		return false, fmt.Errorf("%w: taking the series: %w", errJournal, err)
	case !lease.Held:
		return false, errHeld
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	generation, known := m.generations[name]
	if len(m.generations) >= maxGenerations {
		clear(m.generations)
	}
	m.generations[name] = lease.Generation
	m.held[name] = &heldLease{asked: asked, busy: true}
	m.wake()
	return !known || generation != lease.Generation, nil
}

// reenter takes a queue whose lease this process holds. If the lease is being returned, it
// returns the channel that is closed then.
func (m *LeaseManager) reenter(name string) (left chan struct{}, known bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	p := m.held[name]
	switch {
	case p == nil:
		return nil, false
	case p.leaving != nil:
		return p.leaving, false
	case !p.lasts(m.now()):
		delete(m.held, name) // the return under way must not return a lease that is taken anew
		return nil, false
	}
	p.busy = true
	return nil, true
}

// holds reports whether this process holds the lease for some time to come.
func (m *LeaseManager) holds(key OrderingKey) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	p := m.held[key.name()]
	return p != nil && p.leaving == nil && p.lasts(m.now())
}

// leave ends a turn. The lease is kept until another process wants it.
func (m *LeaseManager) leave(key OrderingKey) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if p := m.held[key.name()]; p != nil {
		p.busy, p.idle = false, time.Now()
		if p.wanted {
			m.wake()
		}
	}
}

func (m *LeaseManager) wake() {
	select {
	case m.kick <- struct{}{}:
	default: // it is awake
	}
}
