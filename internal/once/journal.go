package once

import (
	"context"
	"maps"
	"slices"
	"time"

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
	// Find returns the approved exchange that asked for the same, nil if there is none.
	Find(ctx context.Context, request *Request) (*Kept, error)
	// FindKey returns the exchange that came with the request's Idempotency-Key and was
	// answered by the service, with a rejection too, but not one of the credentials; nil if
	// there is none.
	FindKey(ctx context.Context, request *Request) (*Kept, error)
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

// Kept is an exchange as the trail holds it.
type Kept struct {
	// Record is its outcome, or the settlement that came after it.
	Record *audit.Record
}

// AuditJournal is a Journal in an audit trail.
type AuditJournal struct {
	Store audit.Store
	// Log is the log that this process writes. Logs returns the logs of all processes that share
	// the store; nil if this one is alone.
	Log  string
	Logs func(ctx context.Context) ([]string, error)
	// Write makes the record of a settlement durable and returns its index. service is the
	// one that was asked. Write must redact the values that are not to be kept.
	Write func(r *audit.Record, p *Pending, asked Service) (uint64, error)
	// Owed returns the records of this log that could not be written yet, the newest first;
	// nil if there never are any. They count like written ones.
	Owed func() []*audit.Record
	// Pay writes what could not be written when it was due, and returns nil once nothing is
	// left of it; nil if nothing ever is.
	Pay func(ctx context.Context) error
	// Elsewhere receives the index of an intent of this log that another process has
	// settled, each time it is met; nil to ignore it.
	Elsewhere func(intent uint64)
	// Now is the clock. Began is when this process opened its log: what it finds from before
	// was lost when another process died, however long ago it was sent.
	Now   func() time.Time
	Began time.Time
}

// Suspects collects the queues in which something is open from the records that it has seen.
// The zero Suspects has seen none.
type Suspects struct {
	settled map[uint64]bool // by the index of the intent
	keys    map[OrderingKey]bool
}

// See examines a record of a log. Records come newest first, so a settlement is seen before the
// record that it settles.
func (s *Suspects) See(record *audit.Record) {
	if s.keys == nil {
		s.settled, s.keys = map[uint64]bool{}, map[OrderingKey]bool{}
	}
	op := wsfev1.OperationByName(record.Operation)
	switch {
	case record.Kind == audit.KindSettlement:
		if record.IntentLog == "" {
			s.settled[record.Intent] = true
		}
	case op != nil && op.Effect == wsfev1.EffectChanges && isOpen(record) && !s.settled[intentIndex(record)]:
		s.keys[orderingKeyOf(op, record)] = true
	}
}

// OrderingKeys returns the queues, in no order.
func (s *Suspects) OrderingKeys() []OrderingKey { return slices.Collect(maps.Keys(s.keys)) }

func orderingKeyOf(op *wsfev1.Operation, r *audit.Record) OrderingKey {
	key := OrderingKey{Cuit: r.Cuit, PtoVta: r.PtoVta, CbteTipo: r.CbteTipo}
	if op.Family == wsfev1.FamilyIssuing {
		return key
	}
	key.Operation = op.Name
	if op.Name == "FECAEASinMovimientoInformar" && len(r.Vouchers) > 0 {
		key.CAEA = r.Vouchers[0].Code
	}
	return key
}

// isOpen reports whether the outcome of an intent's or outcome's request is unknown.
func isOpen(r *audit.Record) bool {
	return r.Kind == audit.KindIntent || r.Kind == audit.KindOutcome && (r.Certainty == audit.Unknown || r.Outcome == audit.OutcomeUpstreamError)
}

func intentIndex(r *audit.Record) uint64 {
	if r.Kind == audit.KindIntent {
		return r.Index
	}
	return r.Intent
}

// isAnswered reports whether the service's answer is known, or what it would have been. An
// answer of the gateway's own, that nothing was issued, does not count: it asked the client
// to send again.
func isAnswered(r *audit.Record) bool {
	return (r.Kind == audit.KindOutcome || r.Kind == audit.KindSettlement) &&
		r.Certainty == audit.Answered && !isOpen(r) && r.Outcome != audit.OutcomeNotIssued
}

// refusesCredentials reports whether the service examined only the credentials (docs/sources.md#credentials
// §3.13): with others the same request gets another answer.
func refusesCredentials(r *audit.Record) bool {
	codes := r.Codes()
	return slices.Contains(codes, "600") || slices.Contains(codes, "601")
}

// isApproved reports whether the service carried out the request, or a part of it.
func isApproved(r *audit.Record) bool {
	if !isAnswered(r) {
		return false
	}
	if r.Operation == "FECAEASolicitar" {
		return len(r.Vouchers) > 0 && r.Vouchers[0].Code != ""
	}
	return r.Resultado == wsfev1.Aprobado || r.Resultado == wsfev1.Parcial
}

func lastOf(r *audit.Record) (last int64) {
	for _, v := range r.Vouchers {
		if v.Resultado == wsfev1.Aprobado {
			last = max(last, v.CbteHasta)
		}
	}
	return last
}

// Flush implements Journal.
func (t *AuditJournal) Flush(ctx context.Context) error {
	if t.Pay == nil {
		return nil
	}
	return t.Pay(ctx)
}
