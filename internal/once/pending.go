package once

import (
	"slices"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/wsfev1"
)

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
	// is not its index, and Journal.Settled finds the intent by Owed. Mostly nil.
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
	// Environment is the kind of the service that it was sent to, empty if it is not known.
	Environment audit.Environment
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
		Operation: request.Operation, Key: request.Key, Body: wsfev1.WithAuth(request.Body, wsfev1.Auth{}),
		Numbers: wsfev1.SubjectOf(request.Body).Invoices, ID: id, Intent: intent, Since: since,
		Fingerprint: request.Fingerprint, SentFingerprint: request.SentFingerprint, IdempotencyKey: request.IdempotencyKey,
		TraceID: request.TraceID, GracePeriod: request.Policy.gracePeriod(), Environment: request.Policy.Environment,
	}
}

// firstOpen returns the first open request that a kind of service can be asked about, nil for none. The caller holds
// Coordinator.mu.
func (q *queue) firstOpen(of audit.Environment) *Pending {
	i := slices.IndexFunc(q.open, func(p *Pending) bool { return !of.Apart(p.Environment) })
	if i < 0 {
		return nil
	}
	return q.open[i]
}

// close drops an open request. The caller holds Coordinator.mu.
func (q *queue) close(p *Pending) {
	q.open = slices.DeleteFunc(q.open, func(one *Pending) bool { return one == p })
}
