package binding

import (
	"context"
	"fmt"
	"net/http"
	"runtime"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/limit"
)

// DefaultMaxBodies is the default bound of the bytes of all bodies being worked on: 8 MiB,
// some fifty lots of 250 invoices.
const DefaultMaxBodies = 8 << 20

const (
	// smallBody is the weight up to which a body never waits for a heavier one.
	smallBody = firstRead
	// smallShare: small bodies have a pool of 1/smallShare of the budget.
	smallShare = 4
	// readAhead is how many times the budget may be read and wait to be worked on.
	readAhead = 8
)

// MemoryBudget bounds the memory that requests take. Whatever is made of a request, up to its
// record, is proportional to the weight of its body, so the total weight of the bodies being worked on
// is bounded. Light bodies, nearly all of them, never wait for heavy ones.
type MemoryBudget struct {
	large, small pool
	// work is for the heavy bodies that are read and judged: it leaves a processor to the light ones.
	work *limit.Limit
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
	r := &MemoryBudget{work: limit.NewLimit(max(1, runtime.GOMAXPROCS(0)-1))}
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
	// Budget is the source of the memory, MaxWait how long to wait for it.
	Budget  *MemoryBudget
	MaxWait time.Duration
	arrived int64
	pool    *pool // what weight was acquired from, nil for nothing
	weight  int64
	// leave ends the work on a heavy body, nil for none.
	leave func()
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

// Work waits until a body of this weight may be worked on. A body heavier than the pool takes
// all of the pool.
func (s *Reservation) Work(ctx context.Context, weight int64) *Refusal {
	if weight == 0 {
		return nil
	}
	part := &s.Budget.large
	if weight <= smallBody {
		part = &s.Budget.small
	}
	weight = min(weight, part.size)
	if err := part.acquire(ctx, weight, s.MaxWait); err != nil {
		return noMemory(err)
	}
	s.pool, s.weight = part, weight
	if part == &s.Budget.small {
		return nil
	}
	leave, err := s.Budget.work.Enter(ctx, s.MaxWait)
	if err != nil {
		return noMemory(err)
	}
	s.leave = leave
	return nil
}

// Settle ends the work on a body, and returns what it does not need if it has turned out to weigh less.
func (s *Reservation) Settle(weight int64) {
	s.stopWork()
	if s.pool != nil && weight < s.weight {
		s.pool.release(s.weight - weight)
		s.weight = weight
	}
}

func (s *Reservation) stopWork() {
	if s.leave != nil {
		s.leave()
		s.leave = nil
	}
}

// Release returns the memory. It may be called more than once.
func (s *Reservation) Release() {
	s.stopWork()
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
	f := Refuse(http.StatusServiceUnavailable, audit.OutcomeBusy, "gateway.bodies",
		"Hay demasiados pedidos grandes en curso: este no se envió y puede repetirse.")
	f.RetryAfter = "5"
	return f.Because(err)
}
