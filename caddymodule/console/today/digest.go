package today

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/console/site"
	"github.com/fielato/fielato/caddymodule/outcome"
	"github.com/fielato/fielato/wsfev1"
)

const (
	// maxRead is how many exchanges of a day are read, the newest. It bounds what a page costs.
	maxRead = 20_000
	// maxTime bounds how long that may take.
	maxTime = 3 * time.Second
	// repeats is from how many refusals for one reason of one issuer on they need a person.
	repeats = 3
	// maxNeeds bounds the exchanges of one kind that are listed.
	maxNeeds = 5
)

// classes are the curves of the plot, and the columns of its table.
var classes = []string{"good", "bad", "open", "other"}

// digest is what a day's exchanges come to.
type digest struct {
	// hours count the exchanges of clients by hour and by class.
	hours [24]map[string]int
	total int
	// from is the moment from which on the day was read; zero if it was read whole.
	from time.Time
	// unknown are the exchanges of which nobody knows whether the service carried them out; open are
	// the intents without an outcome; conflicts the requests that another one for the same invoice contradicts.
	unknown, open, conflicts need
	// refusals are those that repeat, the most frequent first.
	refusals []refusal
	series   []series
}

// need is a kind of exchange that needs a person.
type need struct {
	count  int
	newest []found
}

// found is a record with the key of its log (site.Source.Key).
type found struct {
	*audit.Record
	key string
}

func (n *need) add(r *audit.Record, source site.Source) {
	if n.count++; len(n.newest) < maxNeeds {
		n.newest = append(n.newest, found{r, source.Key(r.Log)})
	}
}

// refusal is one reason for which requests of an issuer were refused.
type refusal struct {
	code  string
	cuit  wsfev1.CUIT
	count int
	// last is the newest of them.
	last *audit.Record
}

// series is a numbering of an issuer, as the day's approved vouchers show it.
type series struct {
	cuit           wsfev1.CUIT
	ptoVta, tipo   int32
	last           int64
	count, missing int64
	when           time.Time
	ranges         []span
}

type span struct{ first, last int64 }

// reader reads a day into its digest.
type reader struct {
	digest   digest
	refusals map[[2]string]*refusal
	series   map[seriesKey]*series
}

type seriesKey struct {
	cuit         wsfev1.CUIT
	ptoVta, tipo int32
}

// readDay reads the exchanges of a day in Argentina, newest first.
func readDay(ctx context.Context, sources []site.Source, day time.Time) (*digest, error) {
	began := time.Now()
	r := &reader{refusals: map[[2]string]*refusal{}, series: map[seriesKey]*series{}}
	for i := range r.digest.hours {
		r.digest.hours[i] = map[string]int{}
	}
	query := audit.Query{Since: day, Until: day.AddDate(0, 0, 1)}
	for _, source := range sources {
		read := 0
		for record, err := range audit.SearchLogs(ctx, source.Store, source.Logs, query) {
			if err != nil {
				return nil, fmt.Errorf("reading the day: %w", err)
			}
			if err := r.add(ctx, source, record); err != nil {
				return nil, err
			}
			if read++; read >= maxRead || read%256 == 0 && time.Since(began) > maxTime {
				if r.digest.from.Before(record.Time) {
					r.digest.from = record.Time
				}
				break
			}
		}
	}
	r.finish()
	return &r.digest, nil
}

// add counts one record. Questions of the gateway, and settlements, are not exchanges of a client.
func (r *reader) add(ctx context.Context, source site.Source, record *audit.Record) error {
	if record.Kind == audit.KindSettlement || record.Decision == string(outcome.DecisionAsk) {
		return nil
	}
	d := &r.digest
	class := cmp.Or(site.ClassOf(record), "other")
	d.hours[record.Time.In(wsfev1.Argentina).Hour()][class]++
	d.total++
	switch word := outcome.Outcome(record.Outcome); {
	case record.Kind == audit.KindIntent:
		d.open.add(record, source)
	case word == outcome.Unknown:
		settled, err := isSettled(ctx, source, record)
		if err != nil {
			return err
		}
		if !settled {
			d.unknown.add(record, source)
		}
	case word == outcome.Conflict:
		d.conflicts.add(record, source)
	case word == outcome.Refused, word == outcome.Rejected, word == outcome.Malformed:
		r.refused(record)
	}
	r.number(record)
	return nil
}

// isSettled reports whether the gateway has learnt later what became of an exchange.
func isSettled(ctx context.Context, source site.Source, record *audit.Record) (bool, error) {
	if record.Kind != audit.KindOutcome {
		return false, nil
	}
	intent := &audit.Record{Log: cmp.Or(record.IntentLog, record.Log), Index: record.Intent, ID: record.ID}
	for _, log := range source.Logs {
		settlement, err := audit.SettlementIn(ctx, source.Store, log, intent)
		if settlement != nil || err != nil {
			return settlement != nil, err
		}
	}
	return false, nil
}

func (r *reader) refused(record *audit.Record) {
	for _, code := range slices.Compact(slices.Sorted(slices.Values(record.Codes()))) {
		key := [2]string{code, record.Cuit.String()}
		if r.refusals[key] == nil {
			r.refusals[key] = &refusal{code: code, cuit: record.Cuit, last: record}
		}
		r.refusals[key].count++
	}
}

// number notes the numbers that an approved record has taken.
func (r *reader) number(record *audit.Record) {
	if site.ClassOf(record) != "good" || record.CbteTipo == 0 || record.Cuit == 0 {
		return
	}
	for _, v := range record.Vouchers {
		if v.Code == "" || v.CbteDesde <= 0 || v.CbteHasta < v.CbteDesde {
			continue
		}
		key := seriesKey{record.Cuit, record.PtoVta, record.CbteTipo}
		s := r.series[key]
		if s == nil {
			s = &series{cuit: key.cuit, ptoVta: key.ptoVta, tipo: key.tipo, when: record.Time}
			r.series[key] = s
		}
		s.ranges = append(s.ranges, span{v.CbteDesde, v.CbteHasta})
	}
}

// finish sorts what was counted, and finds the gaps.
func (r *reader) finish() {
	d := &r.digest
	for _, one := range r.refusals {
		if one.count >= repeats {
			d.refusals = append(d.refusals, *one)
		}
	}
	slices.SortFunc(d.refusals, func(a, b refusal) int {
		return cmp.Or(cmp.Compare(b.count, a.count), cmp.Compare(a.code, b.code), cmp.Compare(a.cuit, b.cuit))
	})
	for s := range maps.Values(r.series) {
		s.measure()
		d.series = append(d.series, *s)
	}
	slices.SortFunc(d.series, func(a, b series) int {
		return cmp.Or(cmp.Compare(a.cuit, b.cuit), cmp.Compare(a.ptoVta, b.ptoVta), cmp.Compare(a.tipo, b.tipo))
	})
}

// measure counts the numbers, and those that are missing between the first and the last. Some numbers
// stand in several records: an answer that was repeated.
func (s *series) measure() {
	slices.SortFunc(s.ranges, func(a, b span) int { return cmp.Or(cmp.Compare(a.first, b.first), cmp.Compare(a.last, b.last)) })
	for i, one := range s.ranges {
		if i > 0 && one.first > s.last+1 {
			s.missing += one.first - s.last - 1
		}
		if first := max(one.first, s.last+1); one.last >= first {
			s.count += one.last - first + 1
		}
		s.last = max(s.last, one.last)
	}
	s.ranges = nil
}
