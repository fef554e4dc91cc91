package once

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/fielato/fielato/audit"
)

// prepare settles open intents, and looks for an earlier answer to the request.
func (t *Turn) prepare(ctx context.Context) error {
	err := t.lookBack(ctx)
	if t.queued.request.Policy.AllowWithoutJournal && errors.Is(err, errJournal) && ctx.Err() == nil {
		if _, unsettled := errors.AsType[*UnsettledError](err); !unsettled {
			t.WithoutJournal, err = err, nil
		}
	}
	if err == nil && t.Repeat == nil && !t.mustTake() {
		t.findMissing(ctx, t.service)
		t.predict(t.queue.last)
	}
	return err
}

func (t *Turn) lookBack(ctx context.Context) error {
	policy := &t.queued.request.Policy
	if err := t.coordinator.flush(ctx, policy); err != nil {
		return err
	}
	if t.mustTake() {
		return nil // its intent is not written if there is anything to find
	}
	if err := t.coordinator.recall(ctx, t.queue); err != nil {
		return err
	}
	if !policy.NoRecovery && t.coordinator.hasOpen(t.queue, policy) {
		// An approval is the answer whatever is open beside it, and a rejection is not. An error of the journal may
		// be forgiven later (AllowWithoutJournal), so the open requests are settled first all the same.
		if _, err := t.findApproved(ctx); err == nil && t.Repeat != nil {
			return nil
		}
		if err := t.coordinator.settleOpen(ctx, t.queue, t.service, policy, policy.recoverWithin()); err != nil {
			return err
		}
	}
	t.settledAt(t.queue.last)
	return t.findRepeat(ctx)
}

// hasOpen reports whether something is open in the queue that the service of a policy can be asked about.
func (c *Coordinator) hasOpen(q *queue, policy *Policy) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return q.firstOpen(policy.Environment) != nil
}

// errJournal marks the errors of the journal.
var errJournal = errors.New("the journal does not answer")

// flush waits until the journal has all records owed to it, unless the policy forbids waiting.
func (c *Coordinator) flush(ctx context.Context, policy *Policy) error {
	if policy.AllowWithoutJournal {
		return nil
	}
	if err := c.journal.Flush(ctx); err != nil {
		return fmt.Errorf("%w: %w", errJournal, err)
	}
	return nil
}

// recall asks the journal about a queue, once. The caller has the turn.
func (c *Coordinator) recall(ctx context.Context, q *queue) error {
	if q.recalled {
		return nil
	}
	memory, err := c.journal.Recall(ctx, q.key, q.environment)
	if err != nil {
		return fmt.Errorf("%w: recalling what was sent: %w", errJournal, err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	// A third process may have settled by now what another one left open.
	q.open = slices.DeleteFunc(q.open, func(known *Pending) bool { return known.OtherWriter && !memory.has(known) })
	for _, p := range memory.Open {
		if !slices.ContainsFunc(q.open, p.isSame) {
			q.open = append(q.open, p)
		}
	}
	q.last, q.recalled, q.suspect = max(q.last, memory.Last), true, false
	q.complete = q.complete || memory.Continued
	c.updateUnsettled(q)
	return nil
}

// settleOpen settles the open intents of the queue that went to this kind of service, within a time for each; in one round for 0. The
// caller has the turn.
func (c *Coordinator) settleOpen(ctx context.Context, q *queue, service Service, policy *Policy, within time.Duration) error {
	for {
		c.mu.Lock()
		first := q.firstOpen(policy.Environment)
		c.mu.Unlock()
		if first == nil {
			return nil
		}
		settlement := c.settle(ctx, first, &hasty{Service: service}, policy, within)
		switch err := ctx.Err(); {
		case errors.Is(settlement.Err, ErrNoQuestion):
			// It stays unknown in the journal and holds nothing up, as it would do so for ever.
		case settlement.Verdict == Undecided && err != nil:
			return fmt.Errorf("settling what is open: %w", err)
		case settlement.Verdict == Undecided:
			return &UnsettledError{Pending: first, Err: settlement.Err}
		default:
			if _, err := c.keep(ctx, first, settlement, service); err != nil {
				c.doubt(q, first, err)
				if policy.AllowWithoutJournal { // it allows sending without a journal, but not while something is open
					return &UnsettledError{Pending: first, Err: err}
				}
				return err
			}
		}
		c.mu.Lock()
		q.close(first)
		q.last = max(q.last, settlement.last(first))
		c.updateUnsettled(q)
		c.mu.Unlock()
	}
}

// doubt asks the journal again about an intent whose outcome may or may not have been
// written: it must not get two.
func (c *Coordinator) doubt(q *queue, p *Pending, err error) {
	if !p.NoOutcome || !errors.Is(err, audit.ErrUncertain) {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	q.close(p)
	q.recalled, q.suspect = false, true
	c.updateUnsettled(q)
}

// keep writes a settlement and reports it.
func (c *Coordinator) keep(ctx context.Context, p *Pending, s *Settlement, asked Service) (uint64, error) {
	index, err := c.journal.Settled(ctx, p, s, asked)
	if err != nil {
		return 0, fmt.Errorf("%w: writing down what was settled: %w", errJournal, err)
	}
	c.settings.Settled(p, s, index)
	return index, nil
}

// Recover asks the service for the outcome of the request sent in this turn. The caller writes
// the settlement in the request's outcome. If it is undecided, the caller leaves with Unknown,
// and the background continues to ask.
func (t *Turn) Recover(ctx context.Context, p *Pending, service Service) *Settlement {
	return t.recover(ctx, p, service, t.queued.request.Policy.recoverWithin())
}

// Check is Recover with one round of questions, for a request that the service has rejected. The caller
// writes the settlement down only if it contradicts that.
func (t *Turn) Check(ctx context.Context, p *Pending, service Service) *Settlement {
	return t.recover(ctx, p, service, 0)
}

func (t *Turn) recover(ctx context.Context, p *Pending, service Service, within time.Duration) *Settlement {
	t.coordinator.mu.Lock()
	t.queued.recovering = true // until it leaves: the result must be written down first
	t.coordinator.mu.Unlock()
	return t.coordinator.settle(ctx, p, service, &t.queued.request.Policy, within)
}

// Prediction: the numbers do not follow the last one known to be approved. Other programs
// may issue in the series too.
type Prediction struct {
	// Sent is the first number of the request, Last the highest known to be approved.
	Sent, Last int64
	// Waiting are the first numbers of the requests that wait behind this one.
	Waiting []int64
	// Sure: the service was asked for Last in this turn.
	Sure bool
}

// predict compares the numbers with the last approved one, 0 if that is unknown. A number that the
// service has used may be a repeat of what a restored journal lacks: the service is to say so, and is then
// asked for the invoice.
func (t *Turn) predict(last int64) {
	key := t.queued.request.Key
	t.Prediction = nil
	if t.queue.key.Operation != "" || last == 0 || key.Desde == last+1 || t.coordinator.settings.Restored && key.Desde <= last {
		return
	}
	t.Prediction = &Prediction{Sent: key.Desde, Last: last}
	t.coordinator.mu.Lock()
	defer t.coordinator.mu.Unlock()
	for _, f := range t.queue.requests[1:] {
		if f.request.Operation != nil { // one that only settles sends nothing
			t.Prediction.Waiting = append(t.Prediction.Waiting, f.request.Key.Desde)
		}
	}
}

// Confirm asks the service for the last number, and corrects the prediction by it.
func (t *Turn) Confirm(ctx context.Context, service Service) error {
	key := t.queued.request.Key
	last, err := lastOfSeries(ctx, service, key.OrderingKey)
	if err != nil {
		return err
	}
	t.coordinator.raise(t.queue, last) // repeats are looked for up to it
	t.predict(last)
	if t.Prediction != nil {
		t.Prediction.Sure = true
	}
	return nil
}

// raise notes a number that is known to be approved. The caller has the turn.
func (c *Coordinator) raise(q *queue, last int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	q.last = max(q.last, last)
}
