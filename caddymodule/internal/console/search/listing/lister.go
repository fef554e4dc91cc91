package listing

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/console/site"
	"github.com/fielato/fielato/caddymodule/internal/damage"
)

// lister finds the invoices that a search is about, each once. It reads the same records as a finder, and lists an
// invoice in the place of its newest record that matches: that is looked up for each invoice which a record names, by
// the index of numbers. So a page needs to know nothing of the pages before it.
type lister struct {
	*finder
	sources []site.Source
	asked   *Asked
	top     Cursor
	// of are the invoices of the record that comes next, from is the stream that has it, nil before it is read. skip
	// counts those that were listed.
	of   []Named
	from *stream
	skip int
	// known are the newest records of invoices that this page has looked up.
	known map[Key]newest
	// fromTop: this is the first page of one log. The record of an invoice that it meets first is the newest one, and
	// nothing needs to be looked up.
	fromTop bool
	looked  bool
	left    int
}

// newest is the record in whose place an invoice is listed.
type newest struct {
	key   string
	index uint64
	time  time.Time
}

// Listed is an invoice of a list, with the record in whose place it stands. One without a key stands for records that
// cannot be read.
type Listed struct {
	Found
	Named
}

// summaries is how many records are read at a time: most summaries take less than a kilobyte.
const summaries = 256

func newLister(ctx context.Context, sources []site.Source, asked *Asked, at Place, mayGo func() bool) (*lister, error) {
	fromTop := at.IsNewest()
	if fromTop {
		heads, err := HeadsOf(ctx, sources, asked.Log)
		if err != nil {
			return nil, err
		}
		at = Place{At: heads, Top: heads}
	}
	f, err := newFinder(ctx, sources, asked, at.At, mayGo)
	if err != nil {
		return nil, err
	}
	for _, st := range f.streams {
		st.query.SummaryOnly, st.quiet = true, true
	}
	return &lister{finder: f, sources: sources, asked: asked, top: at.Top, skip: at.Skip, known: map[Key]newest{}, fromTop: fromTop && len(f.streams) == 1}, nil
}

// find returns at most limit invoices.
func (l *lister) find(ctx context.Context, limit int) (a Answer, err error) {
	want := summaries
	if l.asked.Query.Finding != "" || l.asked.Query.Receiver != 0 { // the records come with their content
		want = limit + 1
	}
	for {
		one, whole, err := l.next(ctx, want)
		a.Left = l.left
		switch {
		case err != nil:
			return a, err
		case whole && one == nil:
			return a, nil
		case !whole && len(a.Invoices) < limit:
			a.Rest, a.Cut = l.place(l.skip), true
			a.DownTo, err = l.reached(ctx)
			return a, err
		case len(a.Invoices) == limit:
			back := l.skip
			if one != nil {
				back-- // it is the first of the next page
			}
			a.Rest = l.place(back)
			return a, nil
		}
		a.Invoices = append(a.Invoices, *one)
	}
}

// place is where to go on, so many invoices of the next record being listed.
func (l *lister) place(skip int) Place { return Place{At: l.position(), Skip: skip, Top: l.top} }

// next returns the next invoice; nil at the end. It reports false if the search was left before it knew.
func (l *lister) next(ctx context.Context, want int) (one *Listed, whole bool, err error) {
	for {
		if l.from == nil {
			st, whole, err := l.finder.newest(ctx, want)
			if err != nil || !whole || st == nil {
				return nil, whole, err
			}
			if err := l.open(ctx, st); err != nil {
				return nil, false, err
			}
		}
		at := Found{l.from.found[0], l.from.source}
		for l.skip < len(l.of) {
			if l.looked && !l.mayGo() {
				return nil, false, nil
			}
			l.looked = true
			one := l.of[l.skip]
			l.skip++
			if one.Cuit == 0 { // it cannot be read
				return &Listed{Found: at}, true, nil
			}
			place, err := l.newestOf(ctx, one.Key)
			if err != nil {
				return nil, false, err
			}
			if place.key == l.from.key && place.index == at.Index {
				return &Listed{at, one}, true, nil
			}
		}
		l.from.take()
		l.from, l.skip = nil, 0
	}
}

// open reads the invoices of the record that comes next.
func (l *lister) open(ctx context.Context, st *stream) (err error) {
	at := Found{st.found[0], st.source}
	if l.from, l.of = st, []Named{{}}; Unreadable(at.Record) {
		return nil
	}
	about := false
	if l.of, about, err = InvoicesOf(ctx, at, &l.asked.Query); !about && err == nil {
		l.left++
	}
	return err
}

// newestOf returns the newest record about an invoice that matches the search.
func (l *lister) newestOf(ctx context.Context, key Key) (best newest, err error) {
	if known, ok := l.known[key]; ok {
		return known, nil
	}
	if l.fromTop {
		at := l.from.found[0]
		l.known[key] = newest{l.from.key, at.Index, at.Time}
		return l.known[key], nil
	}
	err = EachLog(l.sources, func(source *site.Source, log, logKey string) error {
		if l.asked.Log != "" && l.asked.Log != logKey || l.top[logKey] == 0 {
			return nil
		}
		one, err := l.newestIn(ctx, source, log, logKey, key)
		if err != nil || one == nil {
			return err
		}
		if best.key == "" || one.time.After(best.time) || one.time.Equal(best.time) && one.key > best.key {
			best = *one
		}
		return nil
	})
	l.known[key] = best
	return best, err
}

func (l *lister) newestIn(ctx context.Context, source *site.Source, log, logKey string, key Key) (*newest, error) {
	query := l.asked.Query
	query.Log, query.Before, query.SummaryOnly = log, l.top[logKey], true
	query.Cuit, query.CbteTipo, query.PtoVta, query.Number = key.Cuit, key.Tipo, key.PtoVta, key.Number
	st := &stream{key: logKey, log: log, source: source, quiet: true}
	for record, err := range damage.Search(ctx, source.Store, query) {
		fits, err := st.fit(ctx, record, err)
		if err != nil {
			return nil, fmt.Errorf("looking for the newest record of an invoice: %w", err)
		}
		if fits == nil || Unreadable(fits.Record) {
			continue
		}
		of, _, err := InvoicesOf(ctx, Found{fits.Record, source}, &l.asked.Query)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(of, func(one Named) bool { return one.Key == key }) {
			return &newest{logKey, fits.index, fits.Time}, nil
		}
	}
	return nil, nil
}

// Query asks for all records about the invoice.
func (k *Key) Query() audit.Query {
	return audit.Query{Cuit: k.Cuit, CbteTipo: k.Tipo, PtoVta: k.PtoVta, Number: k.Number}
}
