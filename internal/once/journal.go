package once

import (
	"context"
	"slices"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/wsfev1"
)

// Journal keeps requests and their outcomes across restarts. It is safe for concurrent use.
type Journal interface {
	// Flush returns nil once nothing is owed to the journal: what it does not find then
	// was not there.
	Flush(ctx context.Context) error
	// Recall returns the journal's memory of a queue, without what went to a service that is known to be of
	// another kind.
	Recall(ctx context.Context, key OrderingKey, environment audit.Environment) (Memory, error)
	// Find returns the record of the approved exchange that asked for the same, nil if there is none: its outcome, or
	// the settlement that came after it.
	Find(ctx context.Context, request *Request) (*audit.Record, error)
	// FindKey returns the record of the exchange that came with the request's Idempotency-Key and was
	// answered by the service, with a rejection too, but not one of the credentials; nil if
	// there is none.
	FindKey(ctx context.Context, request *Request) (*audit.Record, error)
	// Denied reports whether the same was sent before and, by the service's answer, not
	// issued.
	Denied(ctx context.Context, request *Request) (bool, error)
	// Sent reports whether the same was sent before and was approved, or may have been: its outcome was
	// unknown, or is so still.
	Sent(ctx context.Context, request *Request) (bool, error)
	// InFlight reports whether a process that shares the journal has sent the same request:
	// an intent of it without an outcome.
	InFlight(ctx context.Context, request *Request) (bool, error)
	// Settled makes durable the outcome of a request, learned from the service that was asked,
	// and returns the record's index.
	Settled(ctx context.Context, p *Pending, s *Settlement, asked Service) (uint64, error)
}

// Memory is what a journal knows of a queue.
type Memory struct {
	// Last is the highest number that was approved, 0 for none.
	Last int64
	// Open are the requests with an unknown outcome, the oldest first.
	Open []*Pending
	// Continued: something was approved in the log that is written now.
	Continued bool
}

// has reports whether a request is still open.
func (m *Memory) has(p *Pending) bool { return slices.ContainsFunc(m.Open, p.isSame) }

// IsOpen reports whether the outcome of an intent's or outcome's request is unknown.
func IsOpen(r *audit.Record) bool {
	return r.Kind == audit.KindIntent || r.Kind == audit.KindOutcome && (r.Certainty == audit.Unknown || r.Outcome == audit.OutcomeUpstreamError)
}

// IsAnswered reports whether the service's answer is known, or what it would have been. An
// answer of the gateway's own, that nothing was issued, does not count: it asked the client
// to send again.
func IsAnswered(r *audit.Record) bool {
	return (r.Kind == audit.KindOutcome || r.Kind == audit.KindSettlement) &&
		r.Certainty == audit.Answered && !IsOpen(r) && r.Outcome != audit.OutcomeNotIssued
}

// IsApproved reports whether the service carried out the request, or a part of it.
func IsApproved(r *audit.Record) bool {
	if !IsAnswered(r) {
		return false
	}
	if r.Operation == "FECAEASolicitar" {
		return len(r.Vouchers) > 0 && r.Vouchers[0].Code != ""
	}
	return r.Resultado == wsfev1.Aprobado || r.Resultado == wsfev1.Parcial
}

// LastOf returns the highest number that a record says was approved, 0 for none.
func LastOf(r *audit.Record) (last int64) {
	for _, v := range r.Vouchers {
		if v.Resultado == wsfev1.Aprobado {
			last = max(last, v.CbteHasta)
		}
	}
	return last
}
