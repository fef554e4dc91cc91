package binding

import (
	"context"
	"fmt"
	"net/http"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/fielato/fielato/caddymodule/outcome"
	"github.com/fielato/fielato/internal/limit"
)

// DefaultMaxBodies is how many bytes of bodies are at work at a time by default: 8 MiB, such
// as some fifty lots of 250 invoices.
const DefaultMaxBodies = 8 << 20

const (
	// smallBody is the largest body, in bytes, that waits for no larger one.
	smallBody = firstRead
	// smallShare is which part of the room small bodies have for themselves.
	smallShare = 4
	// readAhead is how many times the room is read and waits to be worked on.
	readAhead = 8
)

// MemoryBudget bounds the memory that requests take. All that is made of a request, from what was
// read to its record, stands in proportion to its body: so the bytes of all bodies at work
// together are bounded. Small ones, which nearly all are, never wait for large ones.
type MemoryBudget struct {
	large, small pool
	// arrived is for large bodies from when they begin to be read: many that come at once
	// would fill the memory before the first of them is at work.
	arrived pool
}

// bodyPart is room for so many bytes. taken says how many of them are not free, which room
// does not tell.
type pool struct {
	free  *semaphore.Weighted
	size  int64
	taken atomic.Int64
}

func NewMemoryBudget(size int64) *MemoryBudget {
	r := &MemoryBudget{}
	for part, bytes := range map[*pool]int64{
		&r.large: size, &r.small: max(size/smallShare, 1), &r.arrived: readAhead * size,
	} {
		part.init(bytes)
	}
	return r
}

func (p *pool) init(size int64) { p.free, p.size = semaphore.NewWeighted(size), size }

func (r *MemoryBudget) Fullness() float64 { return fullest(&r.large, &r.small, &r.arrived) }

// fullest returns which share of a room is taken, from 0 to 1, of the part that has least left.
func fullest(parts ...*pool) (most float64) {
	for _, p := range parts {
		most = max(most, float64(p.taken.Load())/float64(p.size))
	}
	return most
}

// enter waits until there is room, no longer than until the deadline of ctx, and no longer
// than patience.
func (p *pool) acquire(ctx context.Context, weight int64, patience time.Duration) error {
	if !p.free.TryAcquire(weight) {
		limited, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		if err := p.free.Acquire(limited, weight); err != nil {
			if ctx.Err() == nil {
				err = limit.ErrFull
			}
			return fmt.Errorf("%d bytes of bodies are in the gateway: %w", p.taken.Load(), err)
		}
	}
	p.taken.Add(weight)
	return nil
}

func (p *pool) release(weight int64) {
	p.taken.Add(-weight)
	p.free.Release(weight)
}

// Reservation is the stay of one exchange in the room. A nil stay is in none, and bounds nothing.
type Reservation struct {
	Budget  *MemoryBudget
	MaxWait time.Duration
	arrived int64
	pool    *pool // where it is at work, nil for nowhere
	weight  int64
}

// arrive waits until a large body of so many bytes may be read. It takes room for the whole
// of it: with a part each, many could wait for each other for ever.
func (s *Reservation) reserveArrival(ctx context.Context, size int64) *Refusal {
	if s == nil {
		return nil
	}
	weight := min(size, s.Budget.arrived.size)
	if err := s.Budget.arrived.acquire(ctx, weight, s.MaxWait); err != nil {
		return noMemory(err)
	}
	s.arrived = weight
	return nil
}

// shrink gives back what a body did not need that was read without a length.
func (s *Reservation) shrink(size int64) {
	if s != nil && size < s.arrived {
		s.Budget.arrived.release(s.arrived - size)
		s.arrived = size
	}
}

// Work waits until a body of so many bytes may be worked on. One that is larger than the
// room has it alone.
func (s *Reservation) Work(ctx context.Context, size int) *Refusal {
	if size == 0 {
		return nil
	}
	part := &s.Budget.large
	if size <= smallBody {
		part = &s.Budget.small
	}
	weight := min(int64(size), part.size)
	if err := part.acquire(ctx, weight, s.MaxWait); err != nil {
		return noMemory(err)
	}
	s.pool, s.weight = part, weight
	return nil
}

// End gives the room back. It may be called more than once.
func (s *Reservation) Release() {
	if s.pool != nil {
		s.pool.release(s.weight)
		s.pool = nil
	}
	if s.arrived > 0 {
		s.Budget.arrived.release(s.arrived)
		s.arrived = 0
	}
}

// noBodyRoom is about a request that found too many others in the gateway.
func noMemory(err error) *Refusal {
	f := Refuse(http.StatusServiceUnavailable, outcome.Busy, "gateway.bodies",
		"Hay demasiados pedidos grandes en curso: este no se envió y puede repetirse.")
	f.RetryAfter = "5"
	return f.Because(err)
}
