package listing

import (
	"context"
	"fmt"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/console/site"
	"github.com/fielato/fielato/caddymodule/internal/damage"
)

// finder finds the records of all logs, newest first, from a cursor on.
type finder struct {
	streams []*stream
	// mayGo is asked between two parts of the search.
	mayGo func() bool
}

// Answer is what a search has found.
type Answer struct {
	Records []Found
	// Invoices are the rows of a list of invoices, which has no records. Left counts the exchanges that are about none.
	Invoices []Listed
	Left     int
	// Rest is where to go on, the zero Place at the end.
	Rest Place
	// Cut: the search was left before it had found as many as were wanted. DownTo is the moment that it has come to.
	Cut    bool
	DownTo time.Time
}

// Found is a record with the source that has it.
type Found struct {
	*audit.Record

	Source *site.Source
}

// Rows counts what was found.
func (a *Answer) Rows() int { return len(a.Records) + len(a.Invoices) }

// EachLog calls do with each log of all sources, and a key for it: two stores may have logs of the same name.
func EachLog(sources []site.Source, do func(source *site.Source, log, key string) error) error {
	for i := range sources {
		for _, log := range sources[i].Logs {
			if err := do(&sources[i], log, sources[i].Key(log)); err != nil {
				return err
			}
		}
	}
	return nil
}

// Asked is what a list is asked for.
type Asked struct {
	Query audit.Query
	// Log is the key of the one log that is searched, empty for all.
	Log string
	// Quiet leaves out the questions of the gateway. Invoices asks for invoices, which never has them.
	Quiet, Invoices bool
}

// Search searches for a page that begins at a place. It looks for as long as mayGo says.
func Search(ctx context.Context, sources []site.Source, asked *Asked, at Place, limit int, mayGo func() bool) (Answer, error) {
	if asked.Invoices {
		l, err := newLister(ctx, sources, asked, at, mayGo)
		if err != nil {
			return Answer{}, err
		}
		return l.find(ctx, limit)
	}
	f, err := newFinder(ctx, sources, asked, at.At, mayGo)
	if err != nil {
		return Answer{}, err
	}
	return f.find(ctx, limit)
}

// newFinder returns a finder that begins at a cursor, nil for the newest record.
func newFinder(ctx context.Context, sources []site.Source, asked *Asked, at Cursor, mayGo func() bool) (*finder, error) {
	f := &finder{mayGo: mayGo}
	err := EachLog(sources, func(source *site.Source, log, key string) error {
		if asked.Log != "" && asked.Log != key {
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
			key: key, log: log, source: source, query: asked.Query, before: before, part: firstPartOf(&asked.Query), quiet: asked.Quiet,
		})
		return nil
	})
	return f, err
}

// find returns at most limit records.
func (f *finder) find(ctx context.Context, limit int) (a Answer, err error) {
	for {
		st, whole, err := f.newest(ctx, limit+1)
		switch {
		case err != nil:
			return a, err
		case len(a.Records) == limit && (st != nil || !whole):
			a.Rest.At = f.position()
			return a, nil
		case !whole:
			a.Rest.At, a.Cut = f.position(), true
			a.DownTo, err = f.reached(ctx)
			return a, err
		case st == nil:
			return a, nil
		}
		a.Records = append(a.Records, Found{st.found[0], st.source})
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
func (f *finder) position() Cursor {
	c := Cursor{}
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
		if err != nil && damage.Is(err) {
			continue
		}
		if err != nil {
			return newest, fmt.Errorf("reading record %d of log %s: %w", at-1, st.log, err)
		}
		if record != nil && record.Time.After(newest) {
			newest = record.Time
		}
	}
	return newest, nil
}
