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

// DefaultMaxBodies is the default bound of the bytes of all bodies being worked on: 8 MiB,
// some fifty lots of 250 invoices.
const DefaultMaxBodies = 8 << 20

const (
	// smallBody is the size in bytes up to which a body never waits for a larger one.
	smallBody = firstRead
	// smallShare: small bodies have a pool of 1/smallShare of the budget.
	smallShare = 4
	// readAhead is how many times the budget may be read and wait to be worked on.
	readAhead = 8
)

// MemoryBudget bounds the memory that requests take. Whatever is made of a request, up to its
// record, is proportional to its body, so the total bytes of the bodies being worked on are
// bounded. Small bodies, nearly all of them, never wait for large ones.
type MemoryBudget struct {
	large, small pool
	// arrived is for large bodies from the moment reading begins: many at once would fill
	// the memory before the first of them is worked on.
	arrived pool
}

// pool is a number of bytes that reservations share. taken counts those in use, which a
// semaphore does not expose.
type pool struct {
	free  *semaphore.Weighted
	size  int64
	taken atomic.Int64
}

// NewMemoryBudget returns a budget of size bytes.
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

// Fullness returns the taken share of the fullest pool, from 0 to 1.
func (r *MemoryBudget) Fullness() float64 { return fullest(&r.large, &r.small, &r.arrived) }

// fullest returns the taken share of the fullest of the pools, from 0 to 1.
func fullest(parts ...*pool) (most float64) {
	for _, p := range parts {
		most = max(most, float64(p.taken.Load())/float64(p.size))
	}
	return most
}

// acquire waits until weight bytes are free, until ctx ends, or for maxWait.
func (p *pool) acquire(ctx context.Context, weight int64, maxWait time.Duration) error {
	if !p.free.TryAcquire(weight) {
		limited, cancel := context.WithTimeout(ctx, maxWait)
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

// Reservation is the memory that one exchange holds. A nil Reservation bounds nothing. Its
// zero value is not usable: Budget and MaxWait must be set. One goroutine uses it.
type Reservation struct {
	// Budget is what the memory is taken from, MaxWait how long to wait for it.
	Budget  *MemoryBudget
	MaxWait time.Duration
	arrived int64
	pool    *pool // what weight was acquired from, nil for nothing
	weight  int64
}

// reserveArrival waits until a large body of size bytes may be read. It acquires all of it at
// once: bodies that hold a part each could wait for each other for ever.
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

// shrink returns what a body that came without a length did not need.
func (s *Reservation) shrink(size int64) {
	if s != nil && size < s.arrived {
		s.Budget.arrived.release(s.arrived - size)
		s.arrived = size
	}
}

// Work waits until a body of size bytes may be worked on. A body larger than the pool takes
// all of the pool.
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

// Release returns the memory. It may be called more than once.
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

// noMemory refuses a request for which no memory became free in time.
func noMemory(err error) *Refusal {
	f := Refuse(http.StatusServiceUnavailable, outcome.Busy, "gateway.bodies",
		"Hay demasiados pedidos grandes en curso: este no se envió y puede repetirse.")
	f.RetryAfter = "5"
	return f.Because(err)
}
