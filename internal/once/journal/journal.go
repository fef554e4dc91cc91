package journal

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/once"
	"github.com/fielato/fielato/wsfev1"
)

// Journal is a once.Journal in an audit trail.
type Journal struct {
	Store audit.Store
	// Log is the log that this process writes. Logs returns the logs of all processes that share
	// the store; nil if this one is alone.
	Log  string
	Logs func(ctx context.Context) ([]string, error)
	// Write makes the record of a settlement durable and returns its index. service is the
	// one that was asked. Write must redact the values that are not to be kept.
	Write func(r *audit.Record, p *once.Pending, asked once.Service) (uint64, error)
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
	keys    map[once.OrderingKey]bool
}

// See examines a record of a log. Records come newest first, so a settlement is seen before the
// record that it settles.
func (s *Suspects) See(record *audit.Record) {
	if s.keys == nil {
		s.settled, s.keys = map[uint64]bool{}, map[once.OrderingKey]bool{}
	}
	op := wsfev1.OperationByName(record.Operation)
	switch {
	case record.Kind == audit.KindSettlement:
		if record.IntentLog == "" {
			s.settled[record.Intent] = true
		}
	case op != nil && op.Effect == wsfev1.EffectChanges && once.IsOpen(record) && !s.settled[intentIndex(record)]:
		s.keys[orderingKeyOf(op, record)] = true
	}
}

// OrderingKeys returns the queues, in no order.
func (s *Suspects) OrderingKeys() []once.OrderingKey { return slices.Collect(maps.Keys(s.keys)) }

func orderingKeyOf(op *wsfev1.Operation, r *audit.Record) once.OrderingKey {
	key := once.OrderingKey{Cuit: r.Cuit, PtoVta: r.PtoVta, CbteTipo: r.CbteTipo}
	if op.Family == wsfev1.FamilyIssuing {
		return key
	}
	key.Operation = op.Name
	if op.Name == "FECAEASinMovimientoInformar" && len(r.Vouchers) > 0 {
		key.CAEA = r.Vouchers[0].Code
	}
	return key
}

func intentIndex(r *audit.Record) uint64 {
	if r.Kind == audit.KindIntent {
		return r.Index
	}
	return r.Intent
}

// refusesCredentials reports whether the service examined only the credentials (docs/sources.md#credentials
// §3.13): with others the same request gets another answer.
func refusesCredentials(r *audit.Record) bool {
	codes := r.Codes()
	return slices.Contains(codes, "600") || slices.Contains(codes, "601")
}

// Flush implements once.Journal.
func (t *Journal) Flush(ctx context.Context) error {
	if t.Pay == nil {
		return nil
	}
	return t.Pay(ctx)
}
