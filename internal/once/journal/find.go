package journal

import (
	"context"
	"fmt"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/once"
)

// Find implements once.Journal.
func (t *Journal) Find(ctx context.Context, request *once.Request) (*audit.Record, error) {
	return t.findSame(ctx, request, audit.Query{}, once.IsApproved)
}

// FindKey implements once.Journal.
func (t *Journal) FindKey(ctx context.Context, request *once.Request) (*audit.Record, error) {
	return t.find(ctx, audit.Query{IdempotencyKey: request.IdempotencyKey, NoExchanges: true}, func(r *audit.Record) bool {
		return r.Cuit == request.Key.Cuit && !request.Policy.Environment.Apart(r.Environment) && once.IsAnswered(r) && !refusesCredentials(r)
	})
}

// Denied implements once.Journal.
func (t *Journal) Denied(ctx context.Context, request *once.Request) (bool, error) {
	kept, err := t.findSame(ctx, request, audit.Query{Outcome: audit.OutcomeNotIssued}, anyRecord)
	return kept != nil, err
}

// Sent implements once.Journal.
func (t *Journal) Sent(ctx context.Context, request *once.Request) (bool, error) {
	kept, err := t.findSame(ctx, request, audit.Query{}, func(r *audit.Record) bool { return once.IsApproved(r) || once.IsOpen(r) })
	return kept != nil, err
}

// InFlight implements once.Journal.
func (t *Journal) InFlight(ctx context.Context, request *once.Request) (bool, error) {
	kept, err := t.findSame(ctx, request, audit.Query{Kind: audit.KindIntent}, anyRecord)
	return kept != nil, err
}

func anyRecord(*audit.Record) bool { return true }

// findSame is find for records about the same request. Nothing was carried out for one whose key lacks a part, and a
// search would take that for any.
func (t *Journal) findSame(ctx context.Context, request *once.Request, query audit.Query, wanted func(*audit.Record) bool) (*audit.Record, error) {
	key := request.Key
	if isPartial(&key) {
		return nil, nil
	}
	query.Cuit, query.PtoVta, query.CbteTipo, query.Number, query.Code = key.Cuit, key.PtoVta, key.CbteTipo, key.Desde, key.CAEA
	query.Operation, query.NoExchanges = request.Operation.Name, true // a client may have been refused often
	return t.find(ctx, query, func(r *audit.Record) bool { return wanted(r) && request.IsIn(r) })
}

// isPartial reports whether the key lacks a part. The service can only reject such a request.
func isPartial(k *once.Key) bool {
	switch {
	case k.Cuit <= 0:
		return true
	case k.Operation == "":
		return k.PtoVta <= 0 || k.CbteTipo <= 0 || k.Desde <= 0
	case k.Operation == "FECAEASinMovimientoInformar":
		return k.PtoVta <= 0 || k.CAEA == ""
	}
	return false
}

// find returns the first record that is wanted, among the newest of each log.
func (t *Journal) find(ctx context.Context, query audit.Query, wanted func(*audit.Record) bool) (*audit.Record, error) {
	// Owed records are searched before the store, so that a record being written is found in
	// one of the two.
	for _, record := range t.owed() {
		if record.Kind != audit.KindIntent && query.Matches(record, nil) && wanted(record) {
			return record, nil
		}
	}
	logs, err := t.logs(ctx)
	if err != nil {
		return nil, err
	}
	for _, query.Log = range logs {
		for record, err := range t.Store.Search(ctx, query) {
			if err != nil {
				return nil, err
			}
			if wanted(record) {
				return record, nil
			}
		}
	}
	return nil, nil
}

func (t *Journal) owed() []*audit.Record {
	if t.Owed == nil {
		return nil
	}
	return t.Owed()
}

// logs returns the logs to search. This process's own comes first: it mostly has what was
// sent last.
func (t *Journal) logs(ctx context.Context) ([]string, error) {
	all := []string{t.Log}
	if t.Logs == nil {
		return all, nil
	}
	known, err := t.Logs(ctx)
	if err != nil {
		return nil, fmt.Errorf("listing the logs: %w", err)
	}
	for _, log := range known {
		if log != t.Log {
			all = append(all, log)
		}
	}
	return all, nil
}
