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

// Gate lets this process into lanes that other processes may use too: one of them at a
// time, by a lease. A lane stays this process's after a turn, so that the next turn costs
// nothing, until another one wants it. It is safe for concurrent use; only who has the
// turn of a lane enters it.
//
// What holds across a loss of the lease: an intent is durable before anything is sent, and
// who takes a lane over settles what is open in it first. So a holder that was cut off, or
// stopped for longer than its lease, can at worst send what the next one finds; and it asks
// whether the lane is still its own as long as anything can be held back (Turn.Held).
type Gate struct {
	leases audit.Leases
	holder string
	// report is told of errors in the background.
	report func(error)
	// now is the clock by which leases run out.
	now func() Instant

	end     context.CancelFunc
	tending sync.WaitGroup
	// kick has the leases looked after at once.
	kick chan struct{}

	mu   sync.Mutex // guards the rest
	held map[string]*pass
	// generations are those of the leases that this process had, also of returned ones.
	generations map[string]int64
}

const (
	// leaseTime is how long a lease lasts. It is renewed when two thirds are left: it
	// outlasts a store that is away for a few seconds. A process that dies keeps its
	// lanes closed for that long.
	leaseTime = 10 * time.Second
	// leaseMargin is how long before its end a lease is not relied upon any more.
	leaseMargin = 2 * time.Second
	// leaseBeat is how often it is looked whether another process wants a lane.
	leaseBeat = 50 * time.Millisecond
	// leaseIdle is how long a lane without requests is kept, and how often it is looked
	// for lanes of processes that have died.
	leaseIdle = 5 * time.Second
	// maxGenerations bounds what is remembered of lanes that were given back. Of one that
	// is forgotten the journal is asked again.
	maxGenerations = 65_536
	// abandonedAtOnce bounds how many lanes of the dead are taken up in one go.
	abandonedAtOnce = 256
)

// NewGate returns a gate, to be given to a Keeper, which closes it. The holder must be
// another one for each process, also for one that was started again.
func NewGate(leases audit.Leases, holder string, report func(error)) *Gate {
	return &Gate{
		leases: leases, holder: holder, report: report, now: Now, kick: make(chan struct{}, 1),
		held: map[string]*pass{}, generations: map[string]int64{},
	}
}

// start begins to look after the leases. It tells abandoned of lanes whose process died.
func (g *Gate) start(abandoned func([]Lane)) {
	ctx, end := context.WithCancel(context.Background())
	g.end = end
	panics.Go(&g.tending, taskLeases, func() { g.tend(ctx, abandoned) })
}

// close gives all leases back.
func (g *Gate) close() {
	g.end()
	g.tending.Wait()
	ctx, cancel := context.WithTimeout(context.Background(), leaseMargin)
	defer cancel()
	g.mu.Lock()
	names := slices.Collect(maps.Keys(g.held))
	clear(g.held)
	g.mu.Unlock()
	if len(names) == 0 {
		return
	}
	if err := g.leases.ReturnLeases(ctx, g.holder, names); err != nil {
		g.report(fmt.Errorf("giving the series back to other gateways: %w", err))
	}
}

// errHeld says that another process has the lane.
var errHeld = errors.New("another gateway has the series")

// enter takes the lane, or returns errHeld. It reports whether another process may have
// used it since this one did.
func (g *Gate) enter(ctx context.Context, lane Lane) (fresh bool, err error) {
	name := lane.name()
	for {
		left, known := g.reenter(name)
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
	asked := g.now()
	lease, err := g.leases.TakeLease(ctx, name, g.holder, leaseTime)
	switch {
	case err != nil:
		return false, fmt.Errorf("%w: taking the series: %w", errJournal, err)
	case !lease.Held:
		return false, errHeld
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	generation, known := g.generations[name]
	if len(g.generations) >= maxGenerations {
		clear(g.generations)
	}
	g.generations[name] = lease.Generation
	g.held[name] = &pass{asked: asked, busy: true}
	g.wake()
	return !known || generation != lease.Generation, nil
}

// reenter takes a lane that is this process's. If it is being given back, it returns what
// is closed then.
func (g *Gate) reenter(name string) (left chan struct{}, known bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	p := g.held[name]
	switch {
	case p == nil:
		return nil, false
	case p.leaving != nil:
		return p.leaving, false
	case !p.lasts(g.now()):
		delete(g.held, name) // who takes it anew must not have it given back behind his back
		return nil, false
	}
	p.busy = true
	return nil, true
}

// holds reports whether the lane is this process's for some time to come.
func (g *Gate) holds(lane Lane) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	p := g.held[lane.name()]
	return p != nil && p.leaving == nil && p.lasts(g.now())
}

// leave ends a turn. The lane stays this process's as long as no other one wants it.
func (g *Gate) leave(lane Lane) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if p := g.held[lane.name()]; p != nil {
		p.busy, p.idle = false, time.Now()
		if p.wanted {
			g.wake()
		}
	}
}

func (g *Gate) wake() {
	select {
	case g.kick <- struct{}{}:
	default: // it is awake
	}
}
