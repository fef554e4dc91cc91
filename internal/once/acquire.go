package once

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Pauses between two attempts to take a queue that another process holds.
const (
	firstPoll   = 5 * time.Millisecond
	longestPoll = 100 * time.Millisecond
)

// acquire takes the lease from other processes, which may hold it until the deadline. A repeat
// of a request that one of them has sent waits for that one's outcome. The caller has the
// turn.
func (c *Coordinator) acquire(ctx context.Context, t *Turn, deadline time.Time) error {
	leases := c.settings.Leases
	if leases == nil {
		return nil
	}
	c.setAcquiring(t.queue, true)
	defer c.setAcquiring(t.queue, false)
	for interval := firstPoll; ; interval = min(2*interval, longestPoll) {
		fresh, err := leases.enter(ctx, t.queue.key)
		switch {
		case err == nil && fresh:
			c.forgetQueue(t.queue)
			return nil
		case err == nil:
			return nil
		case !errors.Is(err, errHeld):
			return c.withoutLease(ctx, t, err)
		}
		if c.settings.Now().After(deadline) {
			same, err := c.journal.InFlight(ctx, t.queued.request)
			if err != nil {
				return fmt.Errorf("%w: looking for the same request: %w", errJournal, err)
			}
			if !same {
				return fmt.Errorf("%w: %w", ErrBusy, errHeld)
			}
			deadline = c.settings.Now().Add(firstRest)
		}
		if err := c.settings.Wait(ctx, interval/2+time.Duration(c.settings.Jitter()*float64(interval/2))); err != nil {
			return fmt.Errorf("waiting for the series: %w", err)
		}
	}
}

func (c *Coordinator) setAcquiring(q *queue, acquiring bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	q.acquiring = acquiring
}

// withoutLease lets a request continue without the lease while the store does not answer, if its
// policy allows it.
func (c *Coordinator) withoutLease(ctx context.Context, t *Turn, err error) error {
	if t.queued.request.Policy.AllowWithoutJournal && ctx.Err() == nil {
		t.WithoutJournal = err
		return nil
	}
	return err
}

// forgetQueue makes the journal be asked again: another process may have sent something since.
// What this process has left open is still open or settled; asking shows which. The caller
// has the turn.
func (c *Coordinator) forgetQueue(q *queue) {
	c.mu.Lock()
	defer c.mu.Unlock()
	q.recalled, q.last, q.recent = false, 0, nil
}

// Held reports whether this process still holds the lease. If not, nothing may be sent. The
// caller checks it when the intent is durable, and again right before each part of the request
// leaves, because the process may have been paused in between. It may be called after Leave too.
func (t *Turn) Held() bool {
	leases := t.coordinator.settings.Leases
	return leases == nil || t.WithoutJournal != nil || leases.holds(t.queue.key)
}
