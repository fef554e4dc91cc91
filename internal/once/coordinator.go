package once

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/panics"
	"github.com/fielato/fielato/wsfev1"
)

// maxIdleQueues bounds the memory of idle queues. The journal knows them too.
const maxIdleQueues = 4096

// Coordinator owns the queues of one trail. It is safe for concurrent use.
type Coordinator struct {
	journal  Journal
	settings Settings
	// life ends the background tasks, and background waits for them.
	life       context.Context
	end        context.CancelFunc
	background sync.WaitGroup

	mu     sync.Mutex // guards the rest
	closed bool
	queues map[OrderingKey]*queue
	// keyed are the requests under way by their Idempotency-Key: queues do not see each
	// other.
	keyed map[[16]byte]*queuedRequest
	// services are the newest that can be asked for an issuer. Their credentials are
	// nowhere else.
	services map[wsfev1.CUIT]*access
	// unsettled are the queues of each issuer in which something is, or may be, open.
	unsettled map[wsfev1.CUIT]map[*queue]struct{}
}

// New returns a coordinator. The caller closes it.
func New(journal Journal, settings Settings) *Coordinator {
	settings.setDefaults()
	life, end := context.WithCancel(context.Background())
	c := &Coordinator{
		journal: journal, settings: settings, life: life, end: end,
		queues: map[OrderingKey]*queue{}, keyed: map[[16]byte]*queuedRequest{}, services: map[wsfev1.CUIT]*access{}, unsettled: map[wsfev1.CUIT]map[*queue]struct{}{},
	}
	if settings.Leases != nil {
		settings.Leases.Start(c.takeUp)
	}
	return c
}

// Close stops background work. Unsettled requests stay open in the journal.
func (c *Coordinator) Close() error {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	c.end()
	c.background.Wait()
	if c.settings.Leases != nil {
		c.settings.Leases.Close()
	}
	return nil
}

// Turn is the right to send one request, from Enter until Leave.
type Turn struct {
	coordinator *Coordinator
	queue       *queue
	queued      *queuedRequest
	// service is the one to ask about the request.
	service Service
	// WithoutJournal is an error of the journal despite which the request may be sent
	// (Policy.AllowWithoutJournal). It is usually nil.
	WithoutJournal error
	// Repeat is the earlier answer to the same request; then nothing is to be sent.
	Repeat *Result
	// Prediction is the mistake in the numbers, as far as known, or nil.
	Prediction *Prediction
	// lease belongs to the caller of the turn.
	lease turnLease
}

// Enter waits for the turn of a request. The service is asked, with the client's own
// credentials, about the open intents of the queue. The caller must call Leave on the Turn, with a
// Repeat too.
//
// Errors: ErrBusy, ErrConflict, ErrKeyReused, *UnsettledError, the context's, and the journal's.
// After an error nothing may be sent.
func (c *Coordinator) Enter(ctx context.Context, request *Request, service Service) (*Turn, error) {
	for {
		queue, queued, left, err := c.join(request)
		switch {
		case errors.Is(err, ErrConflict):
			return c.repeatElsewhere(ctx, request)
		case err != nil:
			return nil, err
		case left == nil:
			return c.enter(ctx, &Turn{coordinator: c, queue: queue, queued: queued, service: service})
		}
		// A call with nothing to share: this request takes a turn of its own.
		if turn, err := c.share(ctx, queued, left); turn != nil || err != nil {
			return turn, err
		}
	}
}

// enter waits for the turn of a request in its queue, and prepares it.
func (c *Coordinator) enter(ctx context.Context, turn *Turn) (_ *Turn, err error) {
	ready := false
	defer func() {
		if !ready { // after a panic too: the queue would stay closed for ever
			turn.Leave(Result{State: NotSent})
		}
	}()
	if err := c.takeTurn(ctx, turn); err != nil {
		return nil, err
	}
	if err := turn.prepare(ctx); err != nil {
		return nil, err
	}
	ready = true
	return turn, nil
}

// takeTurn waits for earlier requests of the queue, and for other processes.
func (c *Coordinator) takeTurn(ctx context.Context, turn *Turn) error {
	began := c.settings.Now()
	defer func() { c.settings.Waited(c.settings.Now().Sub(began)) }()
	if err := c.await(ctx, turn.queued); err != nil {
		return c.explainHold(turn.queue, turn.queued.request.Policy.Environment, err)
	}
	c.turnTo(turn.queue, &turn.queued.request.Policy)
	return c.acquire(ctx, turn, began.Add(turn.queued.request.Policy.seriesWait()))
}

// turnTo is queue.turnTo for the service of a policy.
func (c *Coordinator) turnTo(q *queue, policy *Policy) {
	c.mu.Lock()
	defer c.mu.Unlock()
	q.turnTo(policy.Environment)
}

// join appends the request to its queue, or finds the one that it repeats. left is then closed when that one has
// left.
func (c *Coordinator) join(request *Request) (_ *queue, _ *queuedRequest, left <-chan struct{}, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	queue := c.queueOf(request.Key.OrderingKey)
	if !request.Policy.NoReplay {
		if other := c.keyed[request.IdempotencyKey]; other != nil && other.request.Key.OrderingKey != request.Key.OrderingKey {
			return nil, nil, nil, ErrKeyReused
		}
		var conflict error
		for _, f := range queue.requests {
			switch same, err := f.repeats(request); {
			case same:
				return queue, f, f.left(), nil
			case err != nil:
				conflict = err
			}
		}
		if conflict != nil && !c.mayHold(queue, request) {
			return nil, nil, nil, conflict
		}
	}
	f := queue.add(request)
	if key := request.IdempotencyKey; key != ([16]byte{}) && c.keyed[key] == nil {
		c.keyed[key] = f
	}
	return queue, f, nil, nil
}

// mayHold reports whether a queue may have something open that a request repeats: it must
// wait for the settlement. Where other processes may have been in the queue since this one
// asked the journal, that is unknown. The caller holds mu.
func (c *Coordinator) mayHold(q *queue, request *Request) bool {
	if leases := c.settings.Leases; leases != nil && (q.acquiring || !leases.InUse(q.key.leaseName(request.Policy.Environment))) {
		return true
	}
	return q.mayHold(request)
}

// queueOf returns a queue. The first turn of a new queue reads its state from the journal. The
// caller holds mu.
func (c *Coordinator) queueOf(name OrderingKey) *queue {
	q, ok := c.queues[name]
	if ok {
		return q
	}
	if len(c.queues) >= maxIdleQueues {
		for other, idle := range c.queues {
			if len(idle.requests) == 0 && !idle.unsettled() {
				delete(c.queues, other)
				break
			}
		}
	}
	q = &queue{key: name}
	c.queues[name] = q
	return q
}

// await waits for the turn.
func (c *Coordinator) await(ctx context.Context, f *queuedRequest) error {
	select {
	case <-f.turn:
		return nil
	default:
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	late := make(chan error, 1)
	go func() {
		late <- panics.Do("waiting for a turn", func() error { return c.settings.Wait(ctx, f.request.Policy.seriesWait()) })
	}()
	select {
	case <-f.turn:
		return nil
	case err := <-late:
		if err != nil {
			return fmt.Errorf("waiting for the turn: %w", err)
		}
		return ErrBusy
	}
}

// explainHold names what holds a queue up, if it is known.
func (c *Coordinator) explainHold(q *queue, environment audit.Environment, err error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if first := q.firstOpen(environment); errors.Is(err, ErrBusy) && first != nil {
		return &UnsettledError{Pending: first, Err: err}
	}
	return err
}

// share waits for the result of a request under way, until it has left. It returns nil if the result has nothing
// to share.
func (c *Coordinator) share(ctx context.Context, f *queuedRequest, left <-chan struct{}) (*Turn, error) {
	select {
	case <-left:
		result := f.result
		if result.Reply == nil && result.Kept == nil {
			return nil, nil
		}
		result.Shared = true
		return &Turn{Repeat: &result}, nil
	case <-ctx.Done():
		return nil, fmt.Errorf("waiting for the same request: %w", ctx.Err())
	}
}
