package evidence

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/environment"
	"github.com/fielato/fielato/caddymodule/internal/signingkey"
	"github.com/fielato/fielato/caddymodule/internal/story"
	"github.com/fielato/fielato/caddymodule/internal/trail"
)

// KeyOfLog returns the public key of a log. Nothing can be proven without it.
func KeyOfLog(ctx context.Context, store audit.Store, log string) (string, error) {
	verifier, err := signingkey.KnownVerifier(ctx, store, log)
	if err == nil && verifier == "" {
		err = fmt.Errorf("the log %s was never signed: start its gateway once", log)
	}
	return verifier, err
}

// Proven returns a record and its proof.
func Proven(ctx context.Context, store audit.Store, log, verifier string, index uint64) (*audit.Proof, *audit.Record, error) {
	proof, err := audit.Prove(ctx, store, log, verifier, index)
	switch {
	case errors.Is(err, audit.ErrNotFound):
		return nil, nil, NoRecord(ctx, store, log, index)
	case err != nil:
		return nil, nil, err
	}
	record, err := proof.Check(verifier)
	return proof, record, err
}

// NoRecord returns the error for a record that does not exist: its log may be missing, too.
func NoRecord(ctx context.Context, store audit.Store, log string, index uint64) error {
	if logs, err := store.Logs(ctx); err == nil && !slices.Contains(logs, log) {
		return fmt.Errorf("there is no log %s: the store has %s", log, strings.Join(logs, ", "))
	}
	return fmt.Errorf("log %s has no record %d", log, index)
}

// IsTestCode reports whether the built-in test service has authorised what a record is about.
func IsTestCode(ctx context.Context, store audit.Store, r *audit.Record) (bool, error) {
	of := environment.Of(r)
	if of != "" {
		return story.IsTestCode(of, story.Ended(r)), nil
	}
	since, err := builtInSince(ctx, store, r.Log)
	return story.IsTestCode("", story.Ended(r), since), err
}

// builtInSince returns when the built-in service first issued into a log; zero if it never did.
func builtInSince(ctx context.Context, store audit.Store, log string) (time.Time, error) {
	text, err := trail.InventedSince(ctx, store, log)
	if err != nil || text == "" {
		return time.Time{}, err
	}
	since, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return time.Time{}, fmt.Errorf("reading since when log %s has test invoices: %w", log, err)
	}
	return since, nil
}

// exchangesAbout returns the exchanges about an invoice. Contents are read later, one by one: lots may be
// large.
func exchangesAbout(ctx context.Context, store audit.Store, logs []string, query audit.Query) ([]*story.Entry, error) {
	var exchanges []*story.Entry
	var open []unplaced
	for record, err := range audit.SearchLogs(ctx, store, logs, query) {
		if err != nil {
			return nil, fmt.Errorf("searching: %w", err)
		}
		s := story.EntryOf(record, query.Number)
		exchanges = append(exchanges, s)
		if s.Environment == "" && (record.Kind != audit.KindExchange || record.Origin != "") {
			open = append(open, unplacedOf(s, record))
		}
	}
	for _, one := range open {
		if err := one.place(ctx, store); err != nil {
			return nil, err
		}
	}
	story.SortEntries(exchanges)
	return exchanges, nil
}

// unplaced is an exchange whose own record does not tell its service. record has the fields by which others are found.
type unplaced struct {
	entry  *story.Entry
	record audit.Record
}

// unplacedOf shares no memory with the record.
func unplacedOf(s *story.Entry, r *audit.Record) unplaced {
	return unplaced{s, audit.Record{
		Log: strings.Clone(r.Log), Index: r.Index, ID: strings.Clone(r.ID), IntentLog: strings.Clone(r.IntentLog), Origin: strings.Clone(r.Origin),
	}}
}

// place finds the service of the exchange, as far as any record tells it.
func (u *unplaced) place(ctx context.Context, store audit.Store) (err error) {
	u.entry.Environment, err = environment.Find(ctx, store, &u.record)
	return err
}

// outagesDuring returns the outages that one of the exchanges fell into.
func outagesDuring(ctx context.Context, store audit.Store, logs []string, exchanges []*story.Entry) ([]*story.Outage, error) {
	var records []*audit.Record
	for record, err := range audit.SearchLogs(ctx, store, logs, audit.Query{Kind: audit.KindOutage}) {
		if err != nil {
			return nil, fmt.Errorf("searching for outages: %w", err)
		}
		records = append(records, record)
	}
	return story.FellInto(story.OutagesOf(records), exchanges), nil
}
