package history

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/outage"
)

// Outage is a time in which the service did not answer.
type Outage struct {
	*outage.Incident
	// Record is its newest record, which has everything.
	Record *audit.Record
	// Began is the first failure. Ended is the first answer after it, zero if there was none yet.
	Began, Ended time.Time
}

// Lasts reports whether no answer has ended it.
func (o *Outage) Lasts() bool { return o.Ended.IsZero() }

// Length is how long it took, 0 while it lasts.
func (o *Outage) Length() time.Duration {
	if o.Lasts() {
		return 0
	}
	return o.Ended.Sub(o.Began)
}

// Within reports whether it lies at least in part within a time. Zero times are no bounds.
func (o *Outage) Within(since, until time.Time) bool {
	return (o.Lasts() || !o.Ended.Before(since)) && (until.IsZero() || o.Began.Before(until))
}

// Of returns the outage of one of its two records.
func Of(r *audit.Record) (*Outage, error) {
	incident, err := outage.Read(r)
	if err != nil {
		return nil, err
	}
	o := &Outage{Incident: incident, Record: r, Began: r.Time}
	if r.Outcome == outage.Ended {
		o.Ended = r.Time.Add(r.Duration)
	}
	return o, nil
}

// Read returns the outages of these logs that lie at least in part within a time, newest first. Zero times are
// no bounds. The two records of an outage share an ID and a log, and the later one, which comes first, has
// everything.
func Read(ctx context.Context, store audit.Store, logs []string, since, until time.Time) (all []*Outage, err error) {
	seen := map[string]bool{}
	for r, err := range audit.SearchLogs(ctx, store, logs, audit.Query{Kind: audit.KindOutage, Until: until}) {
		if err != nil {
			return nil, fmt.Errorf("searching for outages: %w", err)
		}
		if seen[r.Log+"/"+r.ID] {
			continue
		}
		seen[r.Log+"/"+r.ID] = true
		o, err := Of(r)
		if err != nil {
			return nil, err
		}
		if o.Within(since, until) {
			all = append(all, o)
		}
	}
	slices.SortStableFunc(all, func(a, b *Outage) int { return b.Began.Compare(a.Began) })
	return all, nil
}

// At returns the outage of which a record stands at this place. The error wraps audit.ErrNotFound if none does.
func At(ctx context.Context, store audit.Store, log string, index uint64) (*Outage, error) {
	r, err := store.Get(ctx, log, index)
	if err == nil && r.Kind != audit.KindOutage {
		err = audit.ErrNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("reading record %d of log %s: %w", index, log, err)
	}
	for newest, err := range store.Search(ctx, audit.Query{Log: log, ID: r.ID, Kind: audit.KindOutage, Limit: 1}) {
		if err != nil {
			return nil, fmt.Errorf("looking for the other record of the outage: %w", err)
		}
		r = newest
	}
	return Of(r)
}
