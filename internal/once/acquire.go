package once

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/once/lease"
)

// turnLease is a turn's lease of its queue, where several processes share the journal.
type turnLease struct {
	name   string
	holder audit.Holder
	// taken: it was taken before the intent. What others have done in the queue is known since then.
	taken bool
	// settled: the store knew the last number when the lease was taken. last is that number, or the one in the
	// journal: never one that only the service has named, as a wrong answer would stay with the queue.
	settled bool
	last    int64
	// intended: an intent was, or may have been, written under it. It is returned with the outcome only: what
	// has no outcome must be settled by the next holder.
	intended bool
}

// cautiousTurns is how many turns of a queue take the lease beforehand after one could not be had by an intent.
// Other processes are at work in it, and an intent that fails costs all that are written with it a second try.
const cautiousTurns = 8

// acquire gives the turn the right to send, as far as other processes are concerned. Mostly that waits for the
// intent: the number that follows the last one can be no repeat and leaves nothing to settle, if the lease can be
// had with it. The caller has the turn of this process.
func (c *Coordinator) acquire(ctx context.Context, t *Turn, deadline time.Time) error {
	leases := c.settings.Leases
	if leases == nil {
		return nil
	}
	t.lease = turnLease{name: t.queue.key.leaseName(t.queued.request.Policy.Environment), holder: leases.Next()}
	if c.mayTakeWithIntent(t) {
		return nil
	}
	return c.takeLease(ctx, t, deadline)
}

// mayTakeWithIntent reports whether a turn needs to know nothing of what others have done but the last number,
// with which the intent takes the lease.
func (c *Coordinator) mayTakeWithIntent(t *Turn) bool {
	q, request := t.queue, t.queued.request
	c.mu.Lock()
	defer c.mu.Unlock()
	if q.cautious > 0 {
		q.cautious--
		return false
	}
	return q.recalled && q.key.Operation == "" && request.Key.Desde > q.last && !q.unsettled() &&
		request.IdempotencyKey == ([16]byte{}) && !request.Doubtful && (q.complete || !c.settings.Restored)
}

// takeLease takes the lease before the intent, and waits for other processes until the deadline. A repeat of a request
// that one of them has sent waits for that one's outcome.
func (c *Coordinator) takeLease(ctx context.Context, t *Turn, deadline time.Time) error {
	c.setAcquiring(t.queue, true)
	defer c.setAcquiring(t.queue, false)
	leases := c.settings.Leases
	for last := false; ; {
		taken, err := leases.Take(ctx, t.lease.name, t.lease.holder)
		switch {
		case err == nil:
			t.lease.taken = true
			c.resume(t, taken)
			return nil
		case !errors.Is(err, lease.ErrHeld):
			return c.withoutLease(ctx, t, fmt.Errorf("%w: %w", errJournal, err))
		}
		if !c.settings.Now().Before(deadline) {
			same, err := c.journal.InFlight(ctx, t.queued.request)
			if err != nil {
				return fmt.Errorf("%w: looking for the same request: %w", errJournal, err)
			}
			switch {
			case !same && last:
				return fmt.Errorf("%w: %w", ErrBusy, lease.ErrHeld)
			case !same: // it may have ended since the lease was asked for, and has the answer then
				last = true
				continue
			}
			deadline, last = c.settings.Now().Add(firstRest), false
		}
		leases.Await(ctx, t.lease.name, deadline.Sub(c.settings.Now()))
		if ctx.Err() != nil {
			return fmt.Errorf("waiting for the series: %w", ctx.Err())
		}
	}
}

func (c *Coordinator) setAcquiring(q *queue, acquiring bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	q.acquiring = acquiring
}

// resume takes over what others have left of a queue: its last number, if that is all that there is to know.
// Otherwise the journal is asked again. What this process has left open is still open or settled; asking shows which.
func (c *Coordinator) resume(t *Turn, taken audit.Lease) {
	q := t.queue
	c.mu.Lock()
	defer c.mu.Unlock()
	t.lease.settled = taken.Settled && !q.unsettled() && (q.complete || !c.settings.Restored)
	if t.lease.settled {
		t.lease.last = taken.Last
		q.recalled, q.last = true, max(q.last, taken.Last)
		return
	}
	q.recalled, q.last, q.recent = false, 0, nil
}

// settledAt notes the last number, once nothing is open any more.
func (t *Turn) settledAt(last int64) {
	if !t.lease.settled {
		t.lease.last = last
	}
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

// mustTake reports whether the turn still has to take its lease with an intent.
func (t *Turn) mustTake() bool {
	return t.coordinator != nil && t.coordinator.settings.Leases != nil && !t.lease.taken && t.WithoutJournal == nil
}

// LookBack takes the lease of a turn that was to take it with its intent, and finds out what other processes
// have done in the queue: Repeat and Prediction are set as after Enter. A caller that is about to turn the request
// away must call it first, as a repeat has its answer; and so must one whose intent could not take the lease
// (audit.ErrLeaseTaken). It does nothing in a turn that has its lease.
//
// It returns the same errors as Enter. After one, the caller may only leave.
func (t *Turn) LookBack(ctx context.Context) error {
	if !t.mustTake() {
		return nil
	}
	c := t.coordinator
	began := c.settings.Now()
	t.lease = turnLease{name: t.lease.name, holder: c.settings.Leases.Next()}
	err := c.takeLease(ctx, t, began.Add(t.queued.request.Policy.seriesWait()))
	c.settings.Waited(c.settings.Now().Sub(began))
	if err != nil {
		return err
	}
	return t.prepare(ctx)
}

// Commit makes a record of the turn durable by append, together with the change that it makes to the lease of
// the queue: the intent takes it, the outcome returns it. It works for a nil Turn.
//
// The error audit.ErrLeaseTaken means that the intent was not written, and nothing may be sent: another process
// has the queue, or has issued in it since. The caller calls LookBack and starts again from there.
func (t *Turn) Commit(r *audit.Record, appendWith func(*audit.Record, *audit.LeaseChange) (uint64, error)) (uint64, error) {
	change := t.LeaseChange(r)
	if change == nil {
		return appendWith(r, nil)
	}
	leases := t.coordinator.settings.Leases
	asked := leases.Now()
	index, err := appendWith(r, change)
	switch {
	case errors.Is(err, audit.ErrLeaseTaken):
		t.refused()
	case err != nil:
	case change.Take:
		leases.Took(change.Name, change.Holder, asked)
	default:
		leases.Drop(change.Name, change.Holder)
	}
	return index, err
}

// LeaseChange returns what a record of the turn changes when it is written, nil for nothing. A record that is
// written after the turn returns the lease too, unless that has run out.
func (t *Turn) LeaseChange(r *audit.Record) *audit.LeaseChange {
	if t == nil || t.coordinator == nil || t.lease.name == "" || t.WithoutJournal != nil {
		return nil
	}
	change := &audit.LeaseChange{Name: t.lease.name, Holder: t.lease.holder}
	switch r.Kind {
	case audit.KindIntent:
		change.Take, change.TTL, change.After = true, lease.TTL, t.queued.request.Key.Desde-1
		t.lease.intended = true
	case audit.KindOutcome:
		change.Settled, change.Last = !IsOpen(r) && !t.coordinator.Unsettled(t.queue.key), t.lease.last
		if IsApproved(r) {
			change.Last = max(change.Last, min(LastOf(r), t.queued.request.Key.Hasta))
		}
	default:
		return nil
	}
	return change
}

// refused notes that an intent could not take the lease.
func (t *Turn) refused() {
	c := t.coordinator
	c.settings.Leases.Drop(t.lease.name, t.lease.holder) // it was overtaken, if it was taken before
	t.lease.taken, t.lease.intended = false, false
	c.mu.Lock()
	defer c.mu.Unlock()
	t.queue.cautious = cautiousTurns
}

// leaveLease ends the turn's lease, if it has one still. The caller has the turn.
func (t *Turn) leaveLease() {
	leases := t.coordinator.settings.Leases
	if leases == nil || !leases.Drop(t.lease.name, t.lease.holder) || t.lease.intended {
		return // without an outcome it runs out
	}
	q := t.queue
	leases.GiveBack(audit.LeaseChange{Name: t.lease.name, Holder: t.lease.holder, Settled: q.recalled && !q.unsettled(), Last: t.lease.last})
}

// Held reports whether this process still holds the lease. If not, nothing may be sent. The
// caller checks it when the intent is durable, and again right before each part of the request
// leaves, because the process may have been paused in between. It may be called after Leave too.
func (t *Turn) Held() bool {
	leases := t.coordinator.settings.Leases
	return leases == nil || t.WithoutJournal != nil || leases.Holds(t.lease.name, t.lease.holder)
}
