package once

import (
	"context"
	"fmt"
	"slices"

	"github.com/fielato/fielato/audit"
)

// findRepeat looks for the answer to the same request: that it was approved, or else the rejection that its
// Idempotency-Key stands for.
func (t *Turn) findRepeat(ctx context.Context) error {
	bound, err := t.findApproved(ctx)
	if err == nil && t.Repeat == nil {
		t.repeat(bound)
	}
	return err
}

// findApproved looks for an approved request that was the same, and returns the exchange that its Idempotency-Key
// stands for, if that is another one. In a series only numbers up to the last one can have been approved: new ones
// cost no search.
func (t *Turn) findApproved(ctx context.Context) (bound *audit.Record, err error) {
	q, request := t.queue, t.queued.request
	if request.Policy.NoReplay {
		return nil, nil
	}
	for _, r := range slices.Backward(q.recent) {
		if request.IdempotencyKey != ([16]byte{}) && r.idempotencyKey == request.IdempotencyKey &&
			(r.key != request.Key || !request.isAlso(r.fingerprint, r.sentFingerprint)) {
			return nil, ErrKeyReused
		}
		if r.key == request.Key && request.isAlso(r.fingerprint, r.sentFingerprint) {
			result := r.result
			t.Repeat = &result
			return nil, nil
		}
	}
	if bound, err = t.findKey(ctx); err != nil {
		return nil, err
	}
	if bound != nil && IsApproved(bound) {
		t.repeat(bound)
		return nil, nil
	}
	if q.key.Operation == "" && request.Key.Desde > q.last {
		return bound, nil
	}
	approved, err := t.coordinator.journal.Find(ctx, request)
	if err != nil {
		return nil, fmt.Errorf("%w: looking for the same request: %w", errJournal, err)
	}
	t.repeat(approved)
	return bound, nil
}

// findKey returns the exchange that the request's Idempotency-Key stands for, nil for none.
func (t *Turn) findKey(ctx context.Context) (*audit.Record, error) {
	request := t.queued.request
	if request.IdempotencyKey == ([16]byte{}) {
		return nil, nil
	}
	switch kept, err := t.coordinator.journal.FindKey(ctx, request); {
	case err != nil:
		return nil, fmt.Errorf("%w: looking for the Idempotency-Key: %w", errJournal, err)
	case kept != nil && !request.IsIn(kept):
		return nil, ErrKeyReused
	default:
		return kept, nil
	}
}

// MayRepeat reports whether a request may repeat one that was sent: one under way, one whose outcome is unknown, or
// one that was approved. It waits for no turn: a caller that is to turn the request away unless it is a repeat need
// not enter with any other.
func (c *Coordinator) MayRepeat(ctx context.Context, request *Request) (bool, error) {
	switch underWay, fresh := c.looksUp(request); {
	case underWay:
		return true, nil
	case fresh:
		return false, nil
	}
	sent, err := c.journal.Sent(ctx, request)
	if err != nil {
		return false, fmt.Errorf("%w: looking for the same request: %w", errJournal, err)
	}
	return sent, nil
}

// looksUp reports whether the same request is in the queue, or open, and whether its number is known to be a new one:
// then the journal, where a client may have left many requests with it that were refused, need not be asked.
func (c *Coordinator) looksUp(request *Request) (underWay, fresh bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	q := c.queues[request.Key.OrderingKey]
	if q == nil {
		return false, false
	}
	underWay = slices.ContainsFunc(q.open, request.Repeats) || slices.ContainsFunc(q.requests, func(f *queuedRequest) bool {
		same, _ := f.repeats(request)
		return same
	})
	return underWay, c.settings.Leases == nil && q.recalled && q.key.Operation == "" && request.Key.Desde > q.last &&
		!q.environment.Apart(request.Policy.Environment)
}

// Denied reports whether the same was sent before and, by the service's answer, not issued.
func (t *Turn) Denied(ctx context.Context) (bool, error) {
	denied, err := t.coordinator.journal.Denied(ctx, t.queued.request)
	if err != nil {
		return false, fmt.Errorf("%w: looking for the same request: %w", errJournal, err)
	}
	return denied, nil
}

// repeat makes the request the repeat of an exchange, if there is one.
func (t *Turn) repeat(kept *audit.Record) {
	if kept != nil {
		t.Repeat = &Result{State: Approved, Kept: kept}
	}
}

// repeatElsewhere answers a request whose numbers another request under way has too. A repeat of what
// was approved must get its answer, or the client takes another number and issues it twice.
func (c *Coordinator) repeatElsewhere(ctx context.Context, request *Request) (*Turn, error) {
	turn, err := c.Approved(ctx, request)
	if err == nil && turn == nil {
		err = ErrConflict
	}
	return turn, err
}

// Approved returns a turn with the answer to a request that was approved before, nil if it was not. It waits for no
// turn, and asks no service: a caller that is to turn the request away calls it first.
func (c *Coordinator) Approved(ctx context.Context, request *Request) (*Turn, error) {
	if request.Policy.NoReplay {
		return nil, nil
	}
	if err := c.flush(ctx, &request.Policy); err != nil {
		return nil, err
	}
	kept, err := c.journal.Find(ctx, request)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%w: looking for the same request: %w", errJournal, err)
	case kept == nil:
		return nil, nil
	}
	return &Turn{Repeat: &Result{State: Approved, Kept: kept, Shared: true}}, nil
}
