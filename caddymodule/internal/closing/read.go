package closing

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/damage"
	"github.com/fielato/fielato/caddymodule/internal/story"
	"github.com/fielato/fielato/caddymodule/internal/story/bodies"
	"github.com/fielato/fielato/internal/ordered"
	"github.com/fielato/fielato/wsfev1"
)

// chunk is how many invoices are read together: their requests are mostly neighbours.
const chunk = 2048

// Reading is how far Invoices has come, and what it could not find.
type Reading struct {
	// Progress is told how many of the invoices that may belong to the month were read, and how many there are,
	// which grows until the first was read; nil for nobody.
	Progress func(done, total int)
	// Lost is known once the first of the Invoices was yielded, or once there is none.
	Lost
}

// Lost counts what hides invoices that may be of the month. These are not among the Invoices.
type Lost struct {
	// LotsElsewhere counts the settlements of lots whose request is in a log that the store does not have.
	LotsElsewhere int64
	// Damaged counts the records of which nothing can be read. Nobody knows which of them have invoices, or whose.
	Damaged int64
}

// Add adds what hides invoices in another store.
func (l *Lost) Add(other Lost) {
	l.LotsElsewhere += other.LotsElsewhere
	l.Damaged += other.Damaged
}

func (r *Reading) tell(done, total int) {
	if r.Progress != nil {
		r.Progress(done, total)
	}
}

// Invoices yields the invoices of a month in some logs, each once, in the order in which they were
// asked for in each log. reading is told of it; nil for nobody. It ends with the first error, such as
// ErrTooMany.
func Invoices(ctx context.Context, store audit.Store, logs []string, wanted Wanted, reading *Reading) iter.Seq2[*Invoice, error] {
	return func(yield func(*Invoice, error) bool) {
		if reading == nil {
			reading = new(Reading)
		}
		f := &finder{wanted: wanted, store: store, logs: slices.Clone(logs), known: map[Series]int32{}, reading: reading}
		if err := f.find(ctx); err != nil {
			yield(nil, err)
			return
		}
		done := 0
		reading.tell(done, len(f.found))
		for some, err := range ordered.Do(f.chunks(), func(c []found) read { return f.read(ctx, c) }) {
			if err = cmp.Or(err, some.err); err != nil {
				yield(nil, err)
				return
			}
			for i := range some.invoices {
				if !yield(&some.invoices[i], nil) {
					return
				}
			}
			done += some.looked
			reading.tell(done, len(f.found))
		}
	}
}

// read is what a part of the invoices gave.
type read struct {
	invoices []Invoice // in the month
	looked   int
	err      error
}

func (f *finder) chunks() iter.Seq2[[]found, error] {
	return func(yield func([]found, error) bool) {
		for some := range slices.Chunk(f.found, chunk) {
			if !yield(some, nil) {
				return
			}
		}
	}
}

// read reads the requests of some invoices.
func (f *finder) read(ctx context.Context, some []found) read {
	result := read{looked: len(some)}
	r := requests{store: f.store, readers: map[string]audit.RecordReader{}}
	for i := range some {
		one := f.invoice(&some[i])
		result.err = r.open(ctx, one.Request)
		if result.err == nil {
			result.err = r.fill(ctx, &one)
		}
		if result.err != nil {
			return result
		}
		if f.wanted.has(&one) {
			result.invoices = append(result.invoices, one)
		}
	}
	return result
}

// invoice returns an invoice as the summaries have it.
func (f *finder) invoice(one *found) Invoice {
	return Invoice{
		Series: f.series[one.series], First: one.first, Last: one.last, After: one.after,
		Authorised: time.UnixMicro(one.micros), Code: one.code, Expires: one.expires,
		Record: story.Place{Log: f.logs[one.log], Index: one.index}, Request: story.Place{Log: f.logs[one.source], Index: one.request},
	}
}

// has reports whether an invoice is of the month.
func (w *Wanted) has(i *Invoice) bool {
	since, until := w.Month.Bounds()
	if w.By == ByAuthorised {
		return !i.Authorised.Before(since) && i.Authorised.Before(until)
	}
	return i.Date >= wsfev1.DateOf(since) && i.Date < wsfev1.DateOf(until)
}

// requests reads requests one after the other. A lot's is read once for all of its invoices.
type requests struct {
	store   audit.Store
	readers map[string]audit.RecordReader

	// at is the request that was read last, if isOpen. Its lines are good until the next one is opened.
	at      story.Place
	isOpen  bool
	missing Missing
	lines   []line
}

// open reads the request at a place, if it is not the last one.
func (r *requests) open(ctx context.Context, at story.Place) error {
	if r.isOpen && r.at == at {
		return nil
	}
	r.at, r.lines, r.missing, r.isOpen = at, r.lines[:0], Unreadable, true
	record, err := r.get(ctx, r.at)
	switch {
	case errors.Is(err, audit.ErrNotFound), damage.Is(err): // a copy of one log does not have the requests of others
		return nil
	case err != nil:
		return fmt.Errorf("reading the request %s: %w", r.at.Address(), err)
	}
	if r.missing = missingOf(record); r.missing == "" {
		r.missing, r.lines = Unreadable, appendLines(r.lines, record.Request)
	}
	return nil
}

// get reads one record.
func (r *requests) get(ctx context.Context, at story.Place) (*audit.Record, error) {
	reader := r.readers[at.Log]
	if reader == nil {
		var err error
		if reader, err = audit.ReaderOf(ctx, r.store, at.Log); err != nil {
			return nil, err
		}
		r.readers[at.Log] = reader
	}
	return reader.Get(ctx, at.Index)
}

// fill adds the request's part of an invoice.
func (r *requests) fill(ctx context.Context, i *Invoice) error {
	i.Missing, i.Date = r.missing, wsfev1.DateOf(i.Authorised.In(wsfev1.Argentina))
	l := r.line(i)
	if l == nil {
		return nil
	}
	l.fill(i)
	if l.CbteFch.value == "" {
		return r.date(ctx, i)
	}
	return nil
}

// line returns the line of an invoice, nil for none. A line is large, and a lot has many: they are not copied.
func (r *requests) line(i *Invoice) *line {
	for at := range r.lines {
		if l := &r.lines[at]; l.CbteDesde.value == i.First && l.CbteHasta.value == i.Last {
			return l
		}
	}
	return nil
}

// date takes the date that the service has given to an invoice without one.
func (r *requests) date(ctx context.Context, i *Invoice) error {
	answer, err := r.get(ctx, i.Record)
	if damage.Is(err) {
		return nil // the day of the authorisation stays
	}
	if err != nil {
		return fmt.Errorf("reading the answer %s: %w", i.Record.Address(), err)
	}
	if given := wsfev1.Date(bodies.Date(answer.Answer, i.First)); given.Valid() {
		i.Date = given
	}
	return nil
}
