package once

import (
	"slices"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/wsfev1"
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
	// Kept is the exchange in the journal from which a repeat is answered.
	Kept *Kept
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
	// last is the highest number known to be approved, 0 for none.
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

// Pending is a request whose outcome is unknown.
type Pending struct {
	Operation *wsfev1.Operation
	Key       Key
	// Numbers are the numbers of the lot, in its order; none for other requests.
	Numbers []wsfev1.InvoiceRange
	// Body is the typed request without its credentials, nil if it cannot be had: then
	// invoices that are found cannot be compared.
	Body any
	// Redacted are the names of members missing in Body, as the trail does not keep them.
	// They are not compared.
	Redacted map[string]bool
	// ID and Intent are the ID and the index of its intent in the trail. Log is the log that holds it.
	ID     string
	Intent uint64
	Log    string
	// Owed is the caller's own value for an intent that could not be written in time: Intent
	// is not its index, and AuditJournal.Write finds the intent by Owed. Mostly nil.
	Owed any
	// OtherWriter: another process sent it, and the service may still be working on it.
	OtherWriter bool
	// NoOutcome: the intent has no outcome in the trail, as after a crash. The settlement is its
	// outcome then.
	NoOutcome bool
	// Fingerprint, SentFingerprint, IdempotencyKey and TraceID are the request's.
	Fingerprint, IdempotencyKey [16]byte
	SentFingerprint             [16]byte
	TraceID                     audit.TraceID
	// Since is when it was lost: at the latest when this process opened its log or, if it is
	// OtherWriter, found it. The time after which the service no longer works on it
	// counts from then.
	Since time.Time
	// GracePeriod is that time, 0 for the caller's own.
	GracePeriod time.Duration
	// found are the first invoices of the lot that the service has as they were sent. They
	// persist, as one round cannot ask about a large lot. The request that has the turn
	// uses them.
	found []*wsfev1.FECompConsResult
	// foundIn is the environment of the service that has them.
	foundIn audit.Environment
}

// isSame reports whether both are about the same intent. Not every Pending of this process names its log.
func (p *Pending) isSame(other *Pending) bool {
	if p.Owed != nil || other.Owed != nil {
		return p.ID == other.ID
	}
	return p.Intent == other.Intent && p.OtherWriter == other.OtherWriter && (!p.OtherWriter || p.Log == other.Log)
}

// PendingOf describes a request with an unknown outcome.
func PendingOf(request *Request, id string, intent uint64, since time.Time) *Pending {
	return &Pending{
		Operation: request.Operation, Key: request.Key, Body: WithoutAuth(request.Body),
		Numbers: wsfev1.SubjectOf(request.Body).Invoices, ID: id, Intent: intent, Since: since,
		Fingerprint: request.Fingerprint, SentFingerprint: request.SentFingerprint, IdempotencyKey: request.IdempotencyKey,
		TraceID: request.TraceID, GracePeriod: request.Policy.gracePeriod(),
	}
}
