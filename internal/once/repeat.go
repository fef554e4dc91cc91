package once

import (
	"context"
	"fmt"
	"slices"
)

// findRepeat looks for an approved request that was the same. In a series only numbers
// up to the last one can have been approved: new ones cost no search.
func (t *Turn) findRepeat(ctx context.Context) error {
	q, request := t.queue, t.queued.request
	for _, r := range slices.Backward(q.recent) {
		if request.IdempotencyKey != ([16]byte{}) && r.idempotencyKey == request.IdempotencyKey &&
			(r.key != request.Key || !request.isAlso(r.fingerprint, r.sentFingerprint)) {
			return ErrKeyReused
		}
		if r.key == request.Key && request.isAlso(r.fingerprint, r.sentFingerprint) {
			result := r.result
			t.Repeat = &result
			return nil
		}
	}
	if request.IdempotencyKey != ([16]byte{}) {
		switch kept, err := t.coordinator.journal.FindKey(ctx, request); {
		case err != nil:
			return fmt.Errorf("%w: looking for the Idempotency-Key: %w", errJournal, err)
		case kept != nil && !request.isIn(kept.Record):
			return ErrKeyReused
		case kept != nil:
			t.repeat(kept)
			return nil
		}
	}
	if q.key.Operation == "" && request.Key.Desde > q.last {
		return nil
	}
	kept, err := t.coordinator.journal.Find(ctx, request)
	if err != nil {
		return fmt.Errorf("%w: looking for the same request: %w", errJournal, err)
	}
	if kept != nil {
		t.repeat(kept)
	}
	return nil
}

// Denied reports whether the same was sent before and, by the service's answer, not issued.
func (t *Turn) Denied(ctx context.Context) (bool, error) {
	denied, err := t.coordinator.journal.Denied(ctx, t.queued.request)
	if err != nil {
		return false, fmt.Errorf("%w: looking for the same request: %w", errJournal, err)
	}
	return denied, nil
}

func (t *Turn) repeat(kept *Kept) {
	t.Repeat = &Result{State: Approved, Kept: kept}
}

// repeatElsewhere answers a request whose numbers another request under way has too. A repeat of what
// was approved must get its answer, or the client takes another number and issues it twice.
func (c *Coordinator) repeatElsewhere(ctx context.Context, request *Request) (*Turn, error) {
	if err := c.flush(ctx, &request.Policy); err != nil {
		return nil, err
	}
	kept, err := c.journal.Find(ctx, request)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%w: looking for the same request: %w", errJournal, err)
	case kept == nil:
		return nil, ErrConflict
	}
	return &Turn{Repeat: &Result{State: Approved, Kept: kept, Shared: true}}, nil
}
