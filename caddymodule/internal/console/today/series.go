package today

import (
	"slices"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/story"
	"github.com/fielato/fielato/wsfev1"
)

// series is a numbering of an issuer, as the day's approved vouchers show it.
type series struct {
	seriesKey
	last           int64
	count, missing int64
	when           time.Time
	// spans are the numbers that were found so far, the largest first. None touches the next.
	spans []span
}

type seriesKey struct {
	cuit         wsfev1.CUIT
	ptoVta, tipo int32
}

type span struct{ first, last int64 }

func keyOf(r *audit.Record) seriesKey { return seriesKey{r.Cuit, r.PtoVta, r.CbteTipo} }

// maxNumber is the largest number that an invoice can have.
const maxNumber = 99_999_999

// number notes the numbers that an approved record has taken.
func (r *reader) number(record *audit.Record) {
	if record.CbteTipo == 0 || record.Cuit == 0 || story.ClassOf(record) != "good" && record.Outcome != partial {
		return
	}
	for _, v := range record.Vouchers {
		if v.Code == "" || v.Resultado == wsfev1.Rechazado || v.CbteDesde <= 0 || v.CbteHasta < v.CbteDesde || v.CbteHasta > maxNumber {
			continue
		}
		key := keyOf(record)
		s := r.series[key]
		if s == nil {
			s = &series{seriesKey: key, when: record.Time}
			r.series[key] = s
		}
		s.take(span{v.CbteDesde, v.CbteHasta})
	}
}

// take notes that numbers were taken. Most come in their order, or against it, so that few spans are kept
// however many numbers a day has.
func (s *series) take(one span) {
	at := s.find(one.last + 1)
	end := at
	for end < len(s.spans) && s.spans[end].last >= one.first-1 {
		one = span{min(one.first, s.spans[end].first), max(one.last, s.spans[end].last)}
		end++
	}
	s.spans = slices.Replace(s.spans, at, end, one)
}

// find returns the place of the first span that begins at the number or below.
func (s *series) find(number int64) int {
	at, _ := slices.BinarySearchFunc(s.spans, number, func(one span, number int64) int {
		if one.first > number {
			return -1
		}
		return 1
	})
	return at
}

// has reports whether a number was found so far.
func (s *series) has(number int64) bool {
	at := s.find(number)
	return at < len(s.spans) && s.spans[at].last >= number
}

// measure counts the numbers, and those that are missing between the first and the last.
func (s *series) measure() {
	s.last = s.spans[0].last
	for i, one := range s.spans {
		s.count += one.last - one.first + 1
		if i > 0 {
			s.missing += s.spans[i-1].first - one.last - 1
		}
	}
	s.spans = nil
}
