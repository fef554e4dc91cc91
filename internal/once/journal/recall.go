package journal

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/go-json-experiment/json"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/once"
	"github.com/fielato/fielato/wsfev1"
)

// recallRecords bounds how far back Recall searches a queue for an approved number: the number
// of requests of each operation that were sent and not approved.
const recallRecords = 2000

// Recall implements once.Journal. The requests of a queue pass one after the other, even from different
// processes, so open intents come after the last approved request in each log.
func (t *Journal) Recall(ctx context.Context, key once.OrderingKey, environment audit.Environment) (memory once.Memory, err error) {
	logs, err := t.logs(ctx)
	if err != nil {
		return once.Memory{}, err
	}
	for _, record := range t.owed() {
		if op := wsfev1.OperationByName(record.Operation); op != nil && once.IsApproved(record) && orderingKeyOf(op, record) == key && !environment.Apart(record.Environment) {
			memory.Last = max(memory.Last, once.LastOf(record))
		}
	}
	for _, log := range logs {
		last, err := t.recall(ctx, log, key, environment, &memory)
		if err != nil {
			return once.Memory{}, fmt.Errorf("looking for what is open: %w", err)
		}
		memory.Last = max(memory.Last, last)
		memory.Continued = memory.Continued || log == t.Log && last > 0
	}
	if len(logs) > 1 {
		if memory.Open, err = t.unsettled(ctx, memory.Open, logs); err != nil {
			return once.Memory{}, fmt.Errorf("looking for what was settled: %w", err)
		}
	}
	slices.SortStableFunc(memory.Open, func(a, b *once.Pending) int { return a.Since.Compare(b.Since) })
	now := t.Now()
	for _, p := range memory.Open {
		switch {
		case p.OtherWriter, p.Since.After(now):
			// By the clock of this process: the other one's may differ, and this one's may have
			// been set back. The lease was taken before, so the other process has sent nothing
			// since.
			p.Since = now
		case p.Since.Before(t.Began):
			p.Since = t.Began
		}
	}
	return memory, nil
}

// recall searches one log.
func (t *Journal) recall(ctx context.Context, log string, key once.OrderingKey, environment audit.Environment, memory *once.Memory) (last int64, err error) {
	settled := map[uint64]bool{}
	for record, err := range t.newest(ctx, log, key) {
		if err != nil {
			return 0, err
		}
		if orderingKeyOf(wsfev1.OperationByName(record.Operation), record) != key || environment.Apart(record.Environment) {
			continue // a zero of the key matches anything in the search
		}
		switch {
		case record.Kind == audit.KindSettlement:
			if record.IntentLog == "" { // else the index belongs to another log's intent
				settled[record.Intent] = true
			}
		case once.IsOpen(record) && !settled[intentIndex(record)]:
			pending, err := t.pending(ctx, key, record)
			if err != nil {
				return 0, err
			}
			memory.Open = append(memory.Open, pending)
		}
		if once.IsApproved(record) {
			return once.LastOf(record), nil
		}
	}
	return 0, nil
}

// unsettled drops what was settled by a process that took the queue over: it wrote the
// settlement into its own log.
func (t *Journal) unsettled(ctx context.Context, open []*once.Pending, logs []string) (left []*once.Pending, err error) {
	for _, p := range open {
		settlement, err := audit.SettlementElsewhere(ctx, t.Store, logs, &audit.Record{Log: p.Log, Index: p.Intent, ID: p.ID})
		switch {
		case err != nil:
			return nil, err
		case settlement == nil:
			left = append(left, p)
		case !p.OtherWriter && t.Elsewhere != nil:
			t.Elsewhere(p.Intent)
		}
	}
	return left, nil
}

// newest yields a log's records of the changes sent in a queue, the newest first. It reads no
// questions about the series, and does not count refusals and repeats: clients may retry for
// hours while something is open.
func (t *Journal) newest(ctx context.Context, log string, key once.OrderingKey) iter.Seq2[*audit.Record, error] {
	operations := []string{key.Operation}
	if key.Operation == "" {
		operations = []string{"FECAESolicitar", "FECAEARegInformativo"}
	}
	found := make([]iter.Seq2[*audit.Record, error], len(operations))
	for i, operation := range operations {
		found[i] = t.Store.Search(ctx, audit.Query{
			Log: log, Cuit: key.Cuit, PtoVta: key.PtoVta, CbteTipo: key.CbteTipo,
			Code: key.CAEA, Operation: operation, NoExchanges: true, Limit: recallRecords,
		})
	}
	return newestOf(found...)
}

// newestOf merges several searches of one log.
func newestOf(searches ...iter.Seq2[*audit.Record, error]) iter.Seq2[*audit.Record, error] {
	return func(yield func(*audit.Record, error) bool) {
		type head struct {
			record *audit.Record
			next   func() (*audit.Record, error, bool)
		}
		var heads []*head
		for _, search := range searches {
			next, stop := iter.Pull2(search)
			defer stop()
			heads = append(heads, &head{next: next})
		}
		for {
			for i, one := range slices.Backward(heads) {
				if one.record != nil {
					continue
				}
				record, err, ok := one.next()
				if err != nil {
					yield(nil, err)
					return
				}
				if one.record = record; !ok {
					heads = slices.Delete(heads, i, i+1)
				}
			}
			if len(heads) == 0 {
				return
			}
			newest := slices.MaxFunc(heads, func(a, b *head) int { return cmp.Compare(a.record.Index, b.record.Index) })
			if !yield(newest.record, nil) {
				return
			}
			newest.record = nil
		}
	}
}

// pending reads the request from the intent.
func (t *Journal) pending(ctx context.Context, key once.OrderingKey, record *audit.Record) (*once.Pending, error) {
	intent := record
	if record.Kind == audit.KindOutcome {
		var err error
		if intent, err = t.Store.Get(ctx, record.Log, record.Intent); err != nil {
			return nil, fmt.Errorf("reading intent %d: %w", record.Intent, err)
		}
	}
	p := &once.Pending{
		Operation: wsfev1.OperationByName(record.Operation), Key: once.Key{OrderingKey: key},
		ID: intent.ID, Intent: intent.Index, Log: record.Log, OtherWriter: record.Log != t.Log,
		NoOutcome: record == intent, Since: record.Time.Add(record.Duration),
		Fingerprint: intent.Fingerprint, SentFingerprint: intent.SentFingerprint, IdempotencyKey: intent.IdempotencyKey, TraceID: intent.TraceID,
		Environment: record.Environment,
	}
	for _, v := range intent.Vouchers {
		if key.Operation == "" {
			p.Numbers = append(p.Numbers, wsfev1.InvoiceRange{CbteDesde: v.CbteDesde, CbteHasta: v.CbteHasta})
		}
	}
	read(p, intent)
	return p, nil
}

// read takes the body that was sent from the intent, without what was redacted in it. A purged or
// encrypted one cannot be had: invoices that are found can then be counted, not compared.
func read(p *once.Pending, intent *audit.Record) {
	body := p.Operation.NewRequest()
	left, redacted := withoutRedacted(sentBody(intent))
	if err := json.Unmarshal(left, body); err != nil {
		number(p)
		return
	}
	p.Body, p.Redacted = wsfev1.WithAuth(body, wsfev1.Auth{}), redacted
	key, _ := once.KeyOf(p.Operation, body)
	key.OrderingKey = p.Key.OrderingKey
	p.Key = key
}

// sentBody returns what was to be sent: the request that came, unless the service's side of the intent
// has a completed one. The service has the invoice as it was completed.
func sentBody(intent *audit.Record) []byte {
	if service := intent.Service; service != nil && service.Form == audit.FormJSON {
		return service.Request
	}
	return intent.Request
}

// number sets the key of a request whose body cannot be had.
func number(p *once.Pending) {
	for i, n := range p.Numbers {
		if i == 0 {
			p.Key.Desde, p.Key.Hasta = n.CbteDesde, n.CbteHasta
		}
		p.Key.Desde, p.Key.Hasta = min(p.Key.Desde, n.CbteDesde), max(p.Key.Hasta, n.CbteHasta)
	}
}
