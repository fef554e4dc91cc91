package once

import (
	"context"
	"fmt"

	"github.com/fielato/fielato/audit"
)

// Find implements Journal.
func (t *AuditJournal) Find(ctx context.Context, request *Request) (*Kept, error) {
	return t.findSame(ctx, request, audit.Query{}, isApproved)
}

// FindKey implements Journal.
func (t *AuditJournal) FindKey(ctx context.Context, request *Request) (*Kept, error) {
	return t.find(ctx, audit.Query{IdempotencyKey: request.IdempotencyKey, NoExchanges: true}, func(r *audit.Record) bool {
		return r.Cuit == request.Key.Cuit && !request.Policy.Environment.Apart(r.Environment) && isAnswered(r) && !refusesCredentials(r)
	})
}

// Denied implements Journal.
func (t *AuditJournal) Denied(ctx context.Context, request *Request) (bool, error) {
	kept, err := t.findSame(ctx, request, audit.Query{Outcome: audit.OutcomeNotIssued}, anyRecord)
	return kept != nil, err
}

// Sent implements Journal.
func (t *AuditJournal) Sent(ctx context.Context, request *Request) (bool, error) {
	kept, err := t.findSame(ctx, request, audit.Query{}, func(r *audit.Record) bool { return isApproved(r) || isOpen(r) })
	return kept != nil, err
}

// InFlight implements Journal.
func (t *AuditJournal) InFlight(ctx context.Context, request *Request) (bool, error) {
	kept, err := t.findSame(ctx, request, audit.Query{Kind: audit.KindIntent}, anyRecord)
	return kept != nil, err
}

func anyRecord(*audit.Record) bool { return true }

// findSame is find for records about the same request. Nothing was carried out for one whose key lacks a part, and a
// search would take that for any.
func (t *AuditJournal) findSame(ctx context.Context, request *Request, query audit.Query, wanted func(*audit.Record) bool) (*Kept, error) {
	key := request.Key
	if key.isPartial() {
		return nil, nil
	}
	query.Cuit, query.PtoVta, query.CbteTipo, query.Number, query.Code = key.Cuit, key.PtoVta, key.CbteTipo, key.Desde, key.CAEA
	query.Operation, query.NoExchanges = request.Operation.Name, true // a client may have been refused often
	return t.find(ctx, query, func(r *audit.Record) bool { return wanted(r) && request.isIn(r) })
}

// find returns the first record that is wanted, among the newest of each log.
func (t *AuditJournal) find(ctx context.Context, query audit.Query, wanted func(*audit.Record) bool) (*Kept, error) {
	// Owed records are searched before the store, so that a record being written is found in
	// one of the two.
	for _, record := range t.owed() {
		if record.Kind != audit.KindIntent && query.Matches(record, nil) && wanted(record) {
			return &Kept{Record: record}, nil
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
				return &Kept{Record: record}, nil
			}
		}
	}
	return nil, nil
}

func (t *AuditJournal) owed() []*audit.Record {
	if t.Owed == nil {
		return nil
	}
	return t.Owed()
}

// logs returns the logs to search. This process's own comes first: it mostly has what was
// sent last.
func (t *AuditJournal) logs(ctx context.Context) ([]string, error) {
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
