package once

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/wsfev1"
)

// Journal remembers what was sent and what became of it, across restarts. It is safe for
// concurrent use.
type Journal interface {
	// Recall returns what is known of a lane.
	Recall(ctx context.Context, lane Lane) (Memory, error)
	// Find returns the approved exchange that asked for the same, nil if there is none.
	Find(ctx context.Context, request *Request) (*Kept, error)
	// FindKey returns the exchange that came with the request's Idempotency-Key and was
	// answered by the service, also with a rejection; nil if there is none.
	FindKey(ctx context.Context, request *Request) (*Kept, error)
	// Settled makes durable what became of a request, as the service said that was
	// asked, and returns the record's index.
	Settled(ctx context.Context, p *Pending, s *Settlement, asked Service) (uint64, error)
}

// Memory is what a journal knows of a lane.
type Memory struct {
	// Last is the highest number that was approved, 0 for none.
	Last int64
	// Open are the requests of which nobody knows what became, the oldest first.
	Open []*Pending
}

// Kept is an exchange as the trail has it.
type Kept struct {
	// Record is its outcome, or the settlement that came after it.
	Record *audit.Record
}

// recallRecords bounds how far back in a lane Recall looks for an approved number.
const recallRecords = 2000

// Trail is the journal in an audit trail.
type Trail struct {
	Store audit.Store
	Log   string
	// Write makes the record of a settlement durable, which the service told that was
	// asked, and returns its index. It must take out what is not to be kept.
	Write func(r *audit.Record, asked Service) (uint64, error)
	// Now is the clock.
	Now func() time.Time
}

// Recall implements Journal. As the requests of a lane pass one after the other, what is
// open came after the last one that was approved.
func (t *Trail) Recall(ctx context.Context, lane Lane) (memory Memory, err error) {
	settled := map[uint64]bool{}
	query := audit.Query{
		Log: t.Log, Cuit: lane.Cuit, PtoVta: lane.PtoVta, CbteTipo: lane.CbteTipo,
		Code: lane.CAEA, Operation: lane.Operation, Limit: recallRecords,
	}
	for record, err := range t.Store.Search(ctx, query) {
		if err != nil {
			return Memory{}, fmt.Errorf("looking for what is open: %w", err)
		}
		op := wsfev1.OperationByName(record.Operation)
		if op == nil || op.Effect != wsfev1.EffectChanges {
			continue
		}
		switch {
		case record.Kind == audit.KindSettlement:
			settled[record.Intent] = true
		case isOpen(record):
			if settled[intentIndex(record)] {
				continue
			}
			pending, err := t.pending(ctx, op, lane, record)
			if err != nil {
				return Memory{}, err
			}
			memory.Open = append(memory.Open, pending)
		}
		if isApproved(record) {
			memory.Last = lastOf(record)
			break
		}
	}
	slices.Reverse(memory.Open)
	return memory, nil
}

// Suspects are the lanes in which something is open, of the records that it has seen. The
// zero Suspects has seen none.
type Suspects struct {
	settled map[uint64]bool // by the index of the intent
	lanes   map[Lane]bool
}

// See looks at a record of a log, the newest first: a settlement comes after what it
// settles.
func (s *Suspects) See(record *audit.Record) {
	if s.lanes == nil {
		s.settled, s.lanes = map[uint64]bool{}, map[Lane]bool{}
	}
	op := wsfev1.OperationByName(record.Operation)
	switch {
	case record.Kind == audit.KindSettlement:
		s.settled[record.Intent] = true
	case op != nil && op.Effect == wsfev1.EffectChanges && isOpen(record) && !s.settled[intentIndex(record)]:
		s.lanes[laneOf(op, record)] = true
	}
}

// Lanes returns them, in no order.
func (s *Suspects) Lanes() []Lane { return slices.Collect(maps.Keys(s.lanes)) }

func laneOf(op *wsfev1.Operation, r *audit.Record) Lane {
	lane := Lane{Cuit: r.Cuit, PtoVta: r.PtoVta, CbteTipo: r.CbteTipo}
	if op.Family == wsfev1.FamilyIssuing {
		return lane
	}
	lane.Operation = op.Name
	if op.Name == "FECAEASinMovimientoInformar" && len(r.Vouchers) > 0 {
		lane.CAEA = r.Vouchers[0].Code
	}
	return lane
}

// isOpen reports whether nobody knows what became of the request of an intent or outcome.
func isOpen(r *audit.Record) bool {
	return r.Kind == audit.KindIntent || r.Kind == audit.KindOutcome && (r.Certainty == audit.Unknown || r.Outcome == "upstream_error")
}

func intentIndex(r *audit.Record) uint64 {
	if r.Kind == audit.KindIntent {
		return r.Index
	}
	return r.Intent
}

// isAnswered reports whether it is known what the service said, or would have said. An
// answer of the gateway's own, that nothing was issued, is none: the client was told to
// send it again.
func isAnswered(r *audit.Record) bool {
	return (r.Kind == audit.KindOutcome || r.Kind == audit.KindSettlement) &&
		r.Certainty == audit.Answered && !isOpen(r) && r.Outcome != string(NotIssued)
}

// isApproved reports whether the service did what was asked for, or a part of it.
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

// pending reads what was asked for off the intent.
func (t *Trail) pending(ctx context.Context, op *wsfev1.Operation, lane Lane, record *audit.Record) (*Pending, error) {
	intent := record
	if record.Kind == audit.KindOutcome {
		var err error
		if intent, err = t.Store.Get(ctx, t.Log, record.Intent); err != nil {
			return nil, fmt.Errorf("reading intent %d: %w", record.Intent, err)
		}
	}
	p := &Pending{
		Operation: op, Key: Key{Lane: lane}, ID: intent.ID, Intent: intent.Index, Bare: record == intent, Since: record.Time.Add(record.Duration),
		Fingerprint: intent.Fingerprint, IdempotencyKey: intent.IdempotencyKey,
	}
	for _, v := range intent.Vouchers {
		if lane.Operation == "" {
			p.Numbers = append(p.Numbers, wsfev1.InvoiceRange{CbteDesde: v.CbteDesde, CbteHasta: v.CbteHasta})
		}
	}
	p.read(intent)
	return p, nil
}

// read takes the body off the intent, without what was redacted in it. One that is purged
// or encrypted is not to be had: what is found can then be counted, not compared.
func (p *Pending) read(intent *audit.Record) {
	body := p.Operation.NewRequest()
	left, redacted := withoutRedacted(intent.Request)
	if err := json.Unmarshal(left, body); err != nil {
		p.number()
		return
	}
	p.Body, p.Redacted = WithoutAuth(body), redacted
	key, _ := KeyOf(p.Operation, body)
	key.Lane = p.Key.Lane
	p.Key = key
}

// number sets the key of a request whose body is not to be had.
func (p *Pending) number() {
	for i, n := range p.Numbers {
		if i == 0 {
			p.Key.Desde, p.Key.Hasta = n.CbteDesde, n.CbteHasta
		}
		p.Key.Desde, p.Key.Hasta = min(p.Key.Desde, n.CbteDesde), max(p.Key.Hasta, n.CbteHasta)
	}
}

// Find implements Journal.
func (t *Trail) Find(ctx context.Context, request *Request) (*Kept, error) {
	key := request.Key
	return t.find(ctx, audit.Query{
		Log: t.Log, Cuit: key.Cuit, PtoVta: key.PtoVta, CbteTipo: key.CbteTipo, Number: key.Desde, Code: key.CAEA,
		Operation: request.Operation.Name,
	}, func(r *audit.Record) bool { return isApproved(r) && r.Fingerprint == request.Fingerprint })
}

// FindKey implements Journal.
func (t *Trail) FindKey(ctx context.Context, request *Request) (*Kept, error) {
	return t.find(ctx, audit.Query{Log: t.Log, IdempotencyKey: request.IdempotencyKey}, func(r *audit.Record) bool {
		return r.Cuit == request.Key.Cuit && isAnswered(r)
	})
}

func (t *Trail) find(ctx context.Context, query audit.Query, wanted func(*audit.Record) bool) (*Kept, error) {
	for record, err := range t.Store.Search(ctx, query) {
		if err != nil {
			return nil, err
		}
		if wanted(record) {
			return &Kept{Record: record}, nil
		}
	}
	return nil, nil
}
