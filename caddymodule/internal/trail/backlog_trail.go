package trail

import (
	"github.com/caddyserver/caddy/v2"
	"go.uber.org/zap"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/tracing"
	"github.com/fielato/fielato/internal/once"
)

// writeEntry makes a record of the backlog durable.
func (t *Trail) writeEntry(e *Entry) (uint64, error) {
	return t.write(t.deadlines.context(), e.record, e.lease)
}

// trailLogger returns a logger of the process: a trail outlives configurations and their
// loggers.
func trailLogger() *zap.Logger { return caddy.Log().Named("http.handlers.wsfev1") }

// reportDrained logs that the backlog is empty.
func (t *Trail) reportDrained() {
	trailLogger().Info("all records owed to the trail have been written", zap.String("log", t.Log), zap.Uint64("records", t.Size()))
}

// maxReported bounds how many lost records are logged one by one.
const maxReported = 1000

// report logs the entries that are lost. They are not written to a file of their own: nothing
// would prove such a file, it would hold in the clear the content that the trail encrypts, and
// where the store cannot be written a file beside it mostly cannot either. The log is kept
// elsewhere. It gets the facts that are needed to find the invoices.
func (t *Trail) report(lost []*Entry, reason error) {
	if len(lost) == 0 {
		return
	}
	LostRecords.Add(float64(len(lost)))
	logger := trailLogger()
	logger.Error("records are lost: they had not been written when the trail was closed; ask the service about these invoices",
		zap.String("log", t.Log), zap.Int("records", len(lost)), zap.Error(reason))
	for _, e := range lost[:min(len(lost), maxReported)] {
		logger.Error("a record is lost", LostFields(e.record)...)
	}
}

// LostFields returns the log fields by which the invoices of a record are found at the service.
// None of them can be redacted.
func LostFields(r *audit.Record) []zap.Field {
	fields := []zap.Field{
		tracing.ExchangeField(r.ID, r.TraceID), zap.Stringer("kind", r.Kind), zap.String("operation", r.Operation),
		zap.Stringer("cuit", r.Cuit), zap.Int32("pto_vta", r.PtoVta), zap.Int32("cbte_tipo", r.CbteTipo),
		zap.String("outcome", string(r.Outcome)), zap.String("certainty", string(r.Certainty)),
	}
	if len(r.Vouchers) > 0 {
		fields = append(fields, zap.Any("vouchers", r.Vouchers))
	}
	return fields
}

// reportSettled logs a request that was settled after its client was gone.
func reportSettled(p *once.Pending, s *once.Settlement, index uint64) {
	ObserveRecovery(s.Verdict, 0)
	fields := []zap.Field{zap.String("operation", p.Operation.Name), tracing.ExchangeField(p.ID, p.TraceID), zap.String("verdict", string(s.Verdict))}
	if index != indexInBacklog {
		fields = append(fields, zap.Uint64("record", index))
	}
	trailLogger().Info("an unknown outcome is settled", fields...)
}

// appendOutage makes the record of an outage durable.
func (t *Trail) appendOutage(r *audit.Record) error {
	_, err := t.Append(r, nil)
	if err != nil {
		trailLogger().Error("the record of an outage is not written yet", zap.Error(err))
	}
	return err
}

// loseOutage logs the record of an outage that will never be written.
func (*Trail) loseOutage(r *audit.Record) {
	trailLogger().Error("a record is lost: the trail accepts none", LostFields(r)...)
	LostRecords.Inc()
}

// Backlog returns how many records wait to be written.
func (t *Trail) Backlog() int64 { return t.backlog.length.Load() }

// Enqueue has a record written later. It returns nil if the backlog is closed, or bounded and
// full. intent is nil unless the record's intent was enqueued too, turn unless it is the record of one.
func (t *Trail) Enqueue(turn *once.Turn, r *audit.Record, intent *Entry, bounded bool) *Entry {
	limit := int64(0)
	if bounded {
		limit = maxBacklog
	}
	lease := turn.LeaseChange(r)
	if lease != nil && lease.Take {
		lease = nil // it is written without the lease, and nothing is sent because of it
	}
	return t.backlog.add(&Entry{record: r, intent: intent, lease: lease}, limit)
}
