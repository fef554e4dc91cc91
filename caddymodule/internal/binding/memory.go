package binding

import (
	"context"
	"net/http"
	"runtime"
	"time"

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
	large, small *limit.Limit
	// work is for the heavy bodies that are read and judged: it leaves a processor to the light ones.
	work *limit.Limit
	// arrived is for large bodies from the moment reading begins: many at once would fill
	// the memory before the first of them is worked on.
	arrived *limit.Limit
}

// NewMemoryBudget returns a budget of size bytes.
func NewMemoryBudget(size int64) *MemoryBudget {
	return &MemoryBudget{
		large: limit.NewPool(size), small: limit.NewPool(size / smallShare), arrived: limit.NewPool(readAhead * size),
		work: limit.NewLimit(max(1, runtime.GOMAXPROCS(0)-1)),
	}
}

// Fullness returns the taken share of the fullest pool, from 0 to 1.
func (r *MemoryBudget) Fullness() float64 { return fullest(r.large, r.small, r.arrived) }

// Limits returns the limits of the budget, to be divided among clients: a client whose bodies arrive slowly, or
// that sends many, then takes nothing from others.
func (r *MemoryBudget) Limits() []*limit.Limit {
	return []*limit.Limit{r.large, r.small, r.arrived, r.work}
}

// fullest returns the taken share of the fullest of the pools, from 0 to 1.
func fullest(pools ...*limit.Limit) (most float64) {
	for _, p := range pools {
		most = max(most, p.Fullness())
	}
	return most
}

// Reservation is the memory that one exchange holds. A nil Reservation bounds nothing. Its
// zero value is not usable: Budget and MaxWait must be set. One goroutine uses it.
type Reservation struct {
	// Budget is the source of the memory, MaxWait how long to wait for it.
	Budget  *MemoryBudget
	MaxWait time.Duration
	// client takes the memory, empty while that is not known, and without clients.
	client        string
	arrived, body limit.Part
	// heavy: body is large. leave ends the work on it, nil for none.
	heavy bool
	leave func()
}

// Assign makes the memory of the exchange count as a client's, from now on too. Work on a heavy body ends, so that
// others can work while this request waits: Resume goes on with it. A body that was read before its client was known
// may be larger than the client's part allows: then the request is refused.
func (s *Reservation) Assign(client string) *Refusal {
	if s == nil {
		return nil
	}
	s.stopWork()
	s.client = client
	for _, part := range []*limit.Part{&s.arrived, &s.body} {
		if err := part.Assign(client); err != nil {
			return noMemory(err)
		}
	}
	return nil
}

// Resume goes on with work that Assign has ended.
func (s *Reservation) Resume(ctx context.Context) *Refusal {
	if s == nil || !s.heavy || s.leave != nil {
		return nil
	}
	return s.startWork(ctx)
}

// reserveArrival waits until a large body of size bytes may be read. It acquires all of it at
// once: bodies that hold a part each could wait for each other for ever.
func (s *Reservation) reserveArrival(ctx context.Context, size int64) *Refusal {
	if s == nil {
		return nil
	}
	var err error
	if s.arrived, err = s.Budget.arrived.TakeAs(ctx, s.client, size, s.MaxWait); err != nil {
		return noMemory(err)
	}
	return nil
}

// shrink returns what a body that came without a length did not need.
func (s *Reservation) shrink(size int64) {
	if s != nil {
		s.arrived.Shrink(size)
	}
}

// Work waits until a body of this weight may be worked on. A body heavier than the pool takes
// all of the pool.
func (s *Reservation) Work(ctx context.Context, weight int64) *Refusal {
	if weight == 0 {
		return nil
	}
	part := s.Budget.small
	if s.heavy = weight > smallBody; s.heavy {
		part = s.Budget.large
	}
	var err error
	if s.body, err = part.TakeAs(ctx, s.client, weight, s.MaxWait); err != nil {
		return noMemory(err)
	}
	if s.heavy {
		return s.startWork(ctx)
	}
	return nil
}

// startWork waits until a heavy body may be read and judged.
func (s *Reservation) startWork(ctx context.Context) *Refusal {
	leave, err := s.Budget.work.EnterAs(ctx, s.client, s.MaxWait)
	if err != nil {
		return noMemory(err)
	}
	s.leave = leave
	return nil
}

// Settle ends the work on a body, and returns what it does not need if it has turned out to weigh less.
func (s *Reservation) Settle(weight int64) {
	s.stopWork()
	s.heavy = false
	s.body.Shrink(weight)
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
	s.body.Release()
	s.arrived.Release()
}

// noMemory refuses a request for which no memory became free in time.
func noMemory(err error) *Refusal {
	f := Refuse(http.StatusServiceUnavailable, audit.OutcomeBusy, "gateway.bodies",
		"Hay demasiados pedidos grandes en curso: este no se envió y puede repetirse.")
	f.RetryAfter = "5"
	return f.Because(err)
}
