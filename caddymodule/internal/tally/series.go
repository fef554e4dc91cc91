package tally

import (
	"context"
	"slices"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/damage"
	"github.com/fielato/fielato/caddymodule/internal/environment"
	"github.com/fielato/fielato/caddymodule/internal/story"
	"github.com/fielato/fielato/wsfev1"
)

// SeriesKey names a numbering of an issuer. Each service has its own.
type SeriesKey struct {
	Environment  environment.Environment
	Cuit         wsfev1.CUIT
	PtoVta, Tipo int32
}

// Series is a numbering of an issuer, as the approved vouchers of a day show it.
type Series struct {
	SeriesKey
	// Last is the largest number, Count how many numbers there are, and Missing how many are missing between
	// the first and the last.
	Last, Count, Missing int64
	// When is when the newest of them was asked for.
	When time.Time
}

// numbers are the numbers of a series that were taken.
type numbers struct {
	when time.Time
	// spans do not touch each other; the largest comes first.
	spans []span
}

type span struct{ first, last int64 }

// keyOf returns the numbering at a service that a record is about.
func (d *Day) keyOf(cuit wsfev1.CUIT, r *audit.Record, of environment.Environment) SeriesKey {
	return SeriesKey{environment.Environment(d.word(string(of))), cuit, r.PtoVta, r.CbteTipo}
}

// numbering has the issuer, the moment and the service of a record's numbers.
type numbering struct {
	cuit    wsfev1.CUIT
	at      time.Time // when the request came
	intent  *audit.Record
	service environment.Environment
}

// numberedBy reads the numbering of a record. One that came on another day has no service.
func (d *Day) numberedBy(ctx context.Context, store audit.Store, r *audit.Record) (of numbering, err error) {
	if of.cuit, of.at, of.intent, err = d.subject(ctx, store, r); err == nil && d.within(of.at) {
		of.service, err = serviceOf(ctx, store, r, of.intent)
	}
	return of, err
}

// serviceOf returns the environment of the service that has approved a record. Settlements of earlier builds do not tell
// it themselves. It is empty if no record tells, or if one of them cannot be read.
func serviceOf(ctx context.Context, store audit.Store, r, intent *audit.Record) (environment.Environment, error) {
	of := environment.Of(r)
	if of == "" && intent != nil {
		of = environment.Of(intent)
	}
	if of != "" || !takesNumbers(r) {
		return of, nil
	}
	of, err := environment.Find(ctx, store, r)
	if damage.Is(err) {
		return "", nil
	}
	return of, err
}

// takesNumbers reports whether a record may have approved invoices. An answer that is given again takes no number.
func takesNumbers(r *audit.Record) bool {
	return r.Kind != audit.KindIntent && r.CbteTipo != 0 && !story.IsRepeat(r) && (story.ClassOf(r) == story.Good || r.Outcome == audit.OutcomePartial)
}

// maxNumber is the largest number that an invoice can have.
const maxNumber = 99_999_999

// take notes that numbers were taken, and returns by how many the spans have become more. Most come in their
// order, or against it, so that few spans are kept however many numbers a day has.
func (s *numbers) take(one span) int {
	before := len(s.spans)
	at := s.find(one.last + 1)
	end := at
	for end < len(s.spans) && s.spans[end].last >= one.first-1 {
		one = span{min(one.first, s.spans[end].first), max(one.last, s.spans[end].last)}
		end++
	}
	s.spans = slices.Replace(s.spans, at, end, one)
	return len(s.spans) - before
}

// find returns the place of the first span that begins at the number or below.
func (s *numbers) find(number int64) int {
	at, _ := slices.BinarySearchFunc(s.spans, number, func(one span, number int64) int {
		if one.first > number {
			return -1
		}
		return 1
	})
	return at
}

// has reports whether a number was taken.
func (s *numbers) has(number int64) bool {
	at := s.find(number)
	return at < len(s.spans) && s.spans[at].last >= number
}

// measure counts the numbers, and those that are missing between the first and the last.
func (s *numbers) measure(key SeriesKey) Series {
	all := Series{SeriesKey: key, Last: s.spans[0].last, When: s.when}
	for i, one := range s.spans {
		all.Count += one.last - one.first + 1
		if i > 0 {
			all.Missing += s.spans[i-1].first - one.last - 1
		}
	}
	return all
}
