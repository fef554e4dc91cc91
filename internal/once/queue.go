package once

import (
	"cmp"
	"slices"

	"github.com/fielato/fielato/audit"
)

// State is the outcome of a request.
type State uint8

const (
	// NotSent: the service has not received it.
	NotSent State = iota
	// Approved: the service carried out the request, or a part of it.
	Approved
	// Rejected: the service carried out no part of the request.
	Rejected
	// Unknown: the outcome is not known yet.
	Unknown
)

// Result is the end of a turn.
type Result struct {
	State State
	// Reply is the client's answer, of the caller's own type, and Size its length in
	// bytes. Requests that waited for the same get it too. With a nil Reply (and no Kept)
	// each of them takes its own turn.
	Reply any
	Size  int
	// Kept is the record in the journal from which a repeat is answered.
	Kept *audit.Record
	// Shared: it was found while another request had the turn. A caller that cannot use it
	// must not send without a turn of its own.
	Shared bool
	// Pending describes the open intent if State is Unknown.
	Pending *Pending
	// Last is the highest number that the service has approved, 0 if unknown.
	Last int64
}

// queue holds the requests of one OrderingKey, and their state. Coordinator.mu guards
// requests and open; the rest belongs to the request that has the turn.
type queue struct {
	key OrderingKey
	// requests are the requests in order of arrival. The first one has the turn.
	requests []*queuedRequest
	// open is what must be settled before anything is sent.
	open []*Pending

	// suspect: the journal may have an open intent. settling: a goroutine settles the open intents.
	// Coordinator.mu guards both.
	suspect, settling bool
	// recalled: the journal was asked. acquiring: the lease is being taken from other
	// processes. The request that has the turn sets them under Coordinator.mu.
	recalled, acquiring bool
	// cautious is how many of the next turns take the lease before their intent. Coordinator.mu guards it.
	cautious int
	// environment is the kind of the service that what follows is about, empty if it is not known.
	environment audit.Environment
	// last is the highest number known to be approved, 0 for none. The request that has the turn sets it under
	// Coordinator.mu.
	last int64
	// complete: the service was asked what a restored journal lacks (findMissing).
	complete bool
	// recent are the newest repeats that were found, or approved results.
	recent []recent
}

type recent struct {
	key                         Key
	fingerprint, idempotencyKey [16]byte
	sentFingerprint             [16]byte
	result                      Result
}

// Limits of a queue's own memory: clients mostly repeat the newest request. A coordinator holds at
// most maxIdleQueues times keepRecentBytes, 64 MiB, of replies.
const (
	keepRecent      = 4
	keepRecentBytes = 16 << 10
)

// unsettled reports whether something is, or may be, open in the queue. The caller holds
// Coordinator.mu.
func (q *queue) unsettled() bool { return q.suspect || len(q.open) > 0 }

// turnTo forgets what is known of another kind of service than this one. The caller has the turn, and holds
// Coordinator.mu.
func (q *queue) turnTo(environment audit.Environment) {
	if q.environment.Apart(environment) {
		q.recalled, q.complete, q.last, q.recent = false, false, 0, nil
	}
	q.environment = cmp.Or(environment, q.environment)
}

// mayHold reports whether the queue has, or may have, something open that a request repeats.
// The caller holds Coordinator.mu.
func (q *queue) mayHold(request *Request) bool {
	return !q.recalled || slices.ContainsFunc(q.open, request.Repeats)
}

// queuedRequest is one request in its queue.
type queuedRequest struct {
	request *Request
	turn    chan struct{} // closed when it has the turn
	// done is closed when it has left, with result set. It is nil until somebody waits for that.
	// Coordinator.mu guards the field.
	done   chan struct{}
	result Result
	// recovering: no answer came, and the service is being asked. Coordinator.mu guards it.
	recovering bool
}

// atOnce is the turn of a request that need not wait for it.
var atOnce = func() chan struct{} {
	closed := make(chan struct{})
	close(closed)
	return closed
}()

// add appends a request. The caller holds Coordinator.mu.
func (q *queue) add(request *Request) *queuedRequest {
	f := &queuedRequest{request: request, turn: atOnce}
	if len(q.requests) > 0 {
		f.turn = make(chan struct{})
	}
	q.requests = append(q.requests, f)
	return f
}

// left returns what is closed when the request has left. The caller holds Coordinator.mu.
func (f *queuedRequest) left() <-chan struct{} {
	if f.done == nil {
		f.done = make(chan struct{})
	}
	return f.done
}

// repeats reports whether a request is the same as this one.
func (f *queuedRequest) repeats(other *Request) (bool, error) {
	if f.request.Policy.Environment.Apart(other.Policy.Environment) {
		return false, nil
	}
	if key := other.IdempotencyKey; key != ([16]byte{}) && key == f.request.IdempotencyKey &&
		(f.request.Key != other.Key || !f.isOf(other)) {
		return false, ErrKeyReused
	}
	if f.request.Key != other.Key {
		return false, nil
	}
	if f.request.Operation != other.Operation || !f.isOf(other) {
		return false, ErrConflict
	}
	return true, nil
}

func (f *queuedRequest) isOf(other *Request) bool {
	return other.isAlso(f.request.Fingerprint, f.request.SentFingerprint)
}

// Leave ends the turn. The next request of the queue has it.
func (t *Turn) Leave(result Result) {
	if t.coordinator == nil {
		return // the result is another request's
	}
	c, q := t.coordinator, t.queue
	c.mu.Lock()
	defer c.mu.Unlock()
	hadTurn := q.requests[0] == t.queued
	q.requests = slices.DeleteFunc(q.requests, func(f *queuedRequest) bool { return f == t.queued })
	if key := t.queued.request.IdempotencyKey; c.keyed[key] == t.queued {
		delete(c.keyed, key)
	}
	t.queued.result = result
	if t.queued.done != nil {
		close(t.queued.done)
	}
	if !hadTurn {
		return
	}
	t.leaveLease()
	if t.Repeat == nil { // a repeat is known, and may repeat a rejection
		q.note(t.queued.request, result)
	}
	if result.State == Unknown && result.Pending != nil {
		q.open = append(q.open, result.Pending)
		if c.services[q.key.Cuit] == nil && !c.closed {
			c.services[q.key.Cuit] = &access{t.service, t.queued.request.Policy}
		}
		c.updateUnsettled(q)
		c.startSettling(q)
	}
	if len(q.requests) > 0 {
		close(q.requests[0].turn)
	}
}

// note remembers a result.
func (q *queue) note(request *Request, result Result) {
	q.last = max(q.last, result.Last)
	if result.State != Approved {
		return
	}
	q.recent = append(q.recent, recent{
		key: request.Key, fingerprint: request.Fingerprint, idempotencyKey: request.IdempotencyKey, sentFingerprint: request.SentFingerprint, result: result,
	})
	size := 0
	for i, r := range slices.Backward(q.recent) {
		if size += r.result.Size; len(q.recent)-i > keepRecent || size > keepRecentBytes {
			q.recent = slices.Delete(q.recent, 0, i+1)
			return
		}
	}
}
