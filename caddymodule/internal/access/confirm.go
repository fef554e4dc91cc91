package access

import (
	"context"
	"fmt"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/trail"
)

// Confirm makes the newest record of a table in the trail one of the running configuration's, which is the one that
// was in force by the evidence. A configuration that has failed to start has recorded its tables before, and one whose
// directives stood at other lines has left its own. of is the table of the gateway that asks, nil for none, and all are the
// tables of the configuration's gateways with this trail.
func Confirm(t *trail.Trail, of *Access, all []*Access, now time.Time) error {
	if of != nil {
		of.mu.Lock() // a table that is recorded is also the one that holds
		defer of.mu.Unlock()
	}
	newest, err := newestTable(t)
	if err != nil || newest == nil {
		return err
	}
	for _, a := range all {
		if _, record := a.Table(); record == newest.Address() {
			return nil
		}
	}
	if of != nil {
		return of.recordAgain(now)
	}
	kept, err := ReadKept(newest)
	if err != nil || kept.Table == nil || len(all) > 0 {
		return err
	}
	return Close(t, kept.Gateway, now)
}

// newestTable returns the newest record of a table in the log of a trail, nil for none.
func newestTable(t *trail.Trail) (*audit.Record, error) {
	ctx, cancel := context.WithTimeout(context.Background(), trail.AppendTimeout)
	defer cancel()
	query := audit.Query{Log: t.Log, Kind: audit.KindAccess, Outcome: audit.AccessClients, Limit: 1}
	for record, err := range t.Store.Search(ctx, query) {
		if err != nil {
			return nil, fmt.Errorf("looking for the newest table of clients: %w", err)
		}
		return record, nil
	}
	return nil, nil //nolint:nilnil // a trail without tables is the rule
}

// recordAgain records the table that holds now once more. The caller holds mu.
func (a *Access) recordAgain(now time.Time) error {
	before := a.current.Load()
	record, err := a.journal.add(before.table, a.source(), now)
	if err != nil {
		return err
	}
	a.current.Store(&state{before.table, record, before.visits})
	return nil
}
