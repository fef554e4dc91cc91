package search

import (
	"context"
	"fmt"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/console/site"
)

// finder finds the records of all logs, newest first, from a cursor on.
type finder struct {
	streams []*stream
	// mayGo is asked between two parts of the search.
	mayGo func() bool
}

// answer is what a finder has found.
type answer struct {
	records []found
	// rest is where to go on, nil at the end.
	rest cursor
	// cut: the search was left before it had found as many as were wanted. Down to is the moment that it has come to.
	cut    bool
	downTo time.Time
	// guessed: issuers that the reader did not name were tried. everything: each record was looked at instead.
	guessed, everything bool
}

// found is a record with the source that has it.
type found struct {
	*audit.Record
	source *site.Source
}

// eachLog calls do with each log of all sources, and a key for it: two stores may have logs of the same name.
func eachLog(sources []site.Source, do func(source *site.Source, log, key string) error) error {
	for i := range sources {
		for _, log := range sources[i].Logs {
			if err := do(&sources[i], log, sources[i].Key(log)); err != nil {
				return err
			}
		}
	}
	return nil
}

// newFinder returns a finder for a request. at is where to begin, nil for the newest record.
func newFinder(ctx context.Context, sources []site.Source, asked *request, plan plan, at cursor, mayGo func() bool) (*finder, error) {
	f := &finder{mayGo: mayGo}
	err := eachLog(sources, func(source *site.Source, log, key string) error {
		if asked.log != "" && asked.log != key {
			return nil
		}
		before, ok := at[key]
		if at == nil {
			head, err := source.Store.Head(ctx, log)
			if err != nil {
				return fmt.Errorf("reading the head of log %s: %w", log, err)
			}
			before, ok = head.Size, true
		}
		if !ok || before == 0 {
			return nil
		}
		f.streams = append(f.streams, &stream{
			key: key, log: log, source: source, queries: plan.queries, before: before, part: plan.part, fits: plan.fitsIn(ctx, source),
		})
		return nil
	})
	return f, err
}

// find returns at most limit records.
func (f *finder) find(ctx context.Context, limit int) (a answer, err error) {
	for {
		st, whole, err := f.newest(ctx, limit+1)
		switch {
		case err != nil:
			return a, err
		case len(a.records) == limit && (st != nil || !whole):
			a.rest = f.position()
			return a, nil
		case !whole:
			a.rest, a.cut = f.position(), true
			a.downTo, err = f.reached(ctx)
			return a, err
		case st == nil:
			return a, nil
		}
		a.records = append(a.records, found{st.found[0], st.source})
		st.take()
	}
}

// newest returns the log whose record is next, nil at the end. It reports false if one of the logs was
// not searched far enough to know.
func (f *finder) newest(ctx context.Context, want int) (newest *stream, whole bool, err error) {
	whole = true
	for _, st := range f.streams {
		record, ok, err := st.next(ctx, want, f.mayGo)
		if err != nil {
			return nil, false, err
		}
		whole = whole && ok
		if record != nil && (newest == nil || record.Time.After(newest.found[0].Time)) {
			newest = st
		}
	}
	if !whole {
		return nil, false, nil
	}
	return newest, true, nil
}

// position is where to go on.
func (f *finder) position() cursor {
	c := cursor{}
	for _, st := range f.streams {
		if at := st.position(); at > 0 {
			c[st.key] = at
		}
	}
	return c
}

// before returns the record before an index, or the newest one before it that the reader may see; nil for none.
func before(ctx context.Context, st *stream, index uint64) (*audit.Record, error) {
	if !st.source.IsBound() {
		return st.source.Store.Get(ctx, st.log, index-1)
	}
	for record, err := range st.source.Store.Search(ctx, audit.Query{Log: st.log, Before: index, Limit: 1}) {
		return record, err
	}
	return nil, nil
}

// reached returns the moment that the search has come to: the newest one among the logs.
func (f *finder) reached(ctx context.Context) (newest time.Time, err error) {
	for _, st := range f.streams {
		at := st.position()
		if at == 0 {
			continue
		}
		record, err := before(ctx, st, at)
		if err != nil {
			return newest, fmt.Errorf("reading record %d of log %s: %w", at-1, st.log, err)
		}
		if record != nil && record.Time.After(newest) {
			newest = record.Time
		}
	}
	return newest, nil
}
