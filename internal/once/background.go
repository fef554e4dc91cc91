package once

import (
	"errors"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/panics"
	"github.com/fielato/fielato/wsfev1"
)

// access is the newest service that can be asked for an issuer, and its policy.
type access struct {
	service Service
	policy  Policy
}

// taskSettle names the task in the report of a panic.
const taskSettle = "settling what is open"

// Pauses between two attempts in the background.
const (
	firstRest   = time.Second
	longestRest = time.Minute
)

// Meet offers a service that can be asked for an issuer, with credentials that it has
// accepted. With it, the open intents in the issuer's queues are settled in the background. Where
// nothing is open, the service is not kept.
func (c *Coordinator) Meet(cuit wsfev1.CUIT, service Service, policy Policy) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.unsettled[cuit]) == 0 || c.closed {
		return
	}
	c.services[cuit] = &access{service, policy}
	for q := range c.unsettled[cuit] {
		c.startSettling(q)
	}
}

// Needs reports whether something is open for an issuer, so that Meet is of use. A newer
// service replaces an older one, whose configuration may be gone.
func (c *Coordinator) Needs(cuit wsfev1.CUIT) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.unsettled[cuit]) > 0
}

// updateUnsettled notes whether something is open in a queue. Where nothing is open for an issuer
// any more, its credentials are dropped. The caller holds mu.
func (c *Coordinator) updateUnsettled(q *queue) {
	cuit := q.key.Cuit
	if q.unsettled() {
		if c.unsettled[cuit] == nil {
			c.unsettled[cuit] = map[*queue]struct{}{}
		}
		c.unsettled[cuit][q] = struct{}{}
		return
	}
	delete(c.unsettled[cuit], q)
	if len(c.unsettled[cuit]) == 0 {
		delete(c.unsettled, cuit)
		delete(c.services, cuit)
	}
}

// Suspect marks queues in which the journal has, or may have, something open.
func (c *Coordinator) Suspect(keys []OrderingKey) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, name := range keys {
		q := c.queueOf(name)
		if !q.recalled || c.settings.Leases != nil { // another process may have left something
			q.suspect = true
		}
		c.updateUnsettled(q)
		c.startSettling(q)
	}
}

// takeUp is Suspect for the queues of processes that have died.
func (c *Coordinator) takeUp(leases []string) {
	var keys []OrderingKey
	for _, name := range leases {
		if key, ok := parseLeaseName(name); ok {
			keys = append(keys, key)
		}
	}
	c.Suspect(keys)
}

// Unsettled reports whether a queue has, or may have, something open. The service is asked
// about it before anything new is sent.
func (c *Coordinator) Unsettled(key OrderingKey) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	q, ok := c.queues[key]
	return ok && q.unsettled()
}

// Counts is the number of requests in each state.
type Counts struct {
	// Waiting requests wait for their turn: for others of their queue, or for another
	// process that holds it.
	Waiting int
	// Unknown requests have an unknown outcome: from the first question about one until its
	// settlement is written. A queue that has, or may have, an open request in the journal
	// counts as one until it is examined.
	Unknown int
}

// Counts counts the requests that wait or are unsettled.
func (c *Coordinator) Counts() (counts Counts) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, q := range c.queues {
		counts.Unknown += len(q.open)
		if q.suspect && len(q.open) == 0 {
			counts.Unknown++
		}
		for i, f := range q.requests {
			if f.request.Operation == nil { // one that only settles
				continue
			}
			if f.recovering {
				counts.Unknown++
			}
			if i > 0 || q.acquiring {
				counts.Waiting++
			}
		}
	}
	return counts
}

// startSettling starts a goroutine that settles the queue, unless one runs already
// or there is no service to ask. The caller holds mu.
func (c *Coordinator) startSettling(q *queue) {
	if q.settling || c.closed || !q.unsettled() || c.services[q.key.Cuit] == nil {
		return
	}
	q.settling = true
	panics.Go(&c.background, taskSettle, func() { c.settleQueue(q) })
}

// settleQueue settles a queue in the background until nothing is open in it, no service can be
// asked any more, or the coordinator is closed.
func (c *Coordinator) settleQueue(q *queue) {
	for rest := firstRest; ; rest = min(2*rest, longestRest) {
		if c.attempt(q) || c.settings.Wait(c.life, rest) != nil {
			return
		}
	}
}

// attempt settles the queue, and reports whether to stop. It takes its turn like a request, so
// nothing is sent during an attempt.
//
// A panic is a failed attempt: open intents stay open, which keeps the series closed, and the next
// attempt comes after a pause.
func (c *Coordinator) attempt(q *queue) (stop bool) {
	defer panics.Catch(taskSettle, nil)
	c.mu.Lock()
	credentials := c.services[q.key.Cuit]
	if credentials == nil || c.closed || !q.unsettled() {
		q.settling = false
		c.mu.Unlock()
		return true
	}
	f := q.add(&Request{})
	c.mu.Unlock()
	turn := &Turn{coordinator: c, queue: q, queued: f, service: credentials.service}
	defer turn.Leave(Result{State: NotSent})
	select {
	case <-f.turn:
	case <-c.life.Done():
		return false
	}
	c.turnTo(q, &credentials.policy)
	if leases := c.settings.Leases; leases != nil {
		turn.lease = turnLease{name: q.key.leaseName(credentials.policy.Environment), holder: leases.Next(), taken: true}
		if _, err := leases.Take(c.life, turn.lease.name, turn.lease.holder); err != nil {
			return false // another process holds it, and settles it
		}
		c.resume(turn, audit.Lease{})
	}
	err := c.flush(c.life, &credentials.policy)
	if err == nil {
		err = c.recall(c.life, q)
	}
	if err == nil {
		err = c.settleOpen(c.life, q, credentials.service, &credentials.policy, 0) // requests wait for the turn
	}
	if err == nil {
		turn.settledAt(q.last)
	}
	if refused(err) {
		c.forget(q.key.Cuit, credentials)
	}
	return false // the next attempt finds the rest
}

// forget drops credentials that are not accepted any more, unless there are newer ones.
func (c *Coordinator) forget(cuit wsfev1.CUIT, credentials *access) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.services[cuit] == credentials {
		delete(c.services, cuit)
	}
}

func refused(err error) bool {
	var unsettled *UnsettledError
	return errors.As(err, &unsettled) && errors.Is(unsettled.Err, ErrCredentials)
}
