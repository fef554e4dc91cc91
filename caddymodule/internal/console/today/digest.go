package today

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/console/site"
	"github.com/fielato/fielato/caddymodule/internal/story"
	"github.com/fielato/fielato/caddymodule/internal/story/read"
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
	// queries counts the queries without an answer: they have changed nothing.
	queries int
	// builtIn counts the exchanges that the built-in service has answered.
	builtIn int
	// refusals are those that repeat, the most frequent first, and mended the refused invoices that were
	// approved later on the day.
	refusals []refusal
	mended   int
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

// reader reads a day into its digest.
type reader struct {
	digest  digest
	refused map[invoice]*refused
	series  map[seriesKey]*series
}

// readDay reads the exchanges of a day in Argentina, newest first, at most so many of each source.
func readDay(ctx context.Context, sources []site.Source, day time.Time, most int) (*digest, error) {
	began := time.Now()
	r := &reader{refused: map[invoice]*refused{}, series: map[seriesKey]*series{}}
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
			if read++; read >= most || read%256 == 0 && time.Since(began) > maxTime {
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
	if record.Kind == audit.KindSettlement || record.Decision == audit.DecisionAsk {
		return nil
	}
	d := &r.digest
	class := cmp.Or(story.ClassOf(record), "other")
	d.hours[record.Time.In(wsfev1.Argentina).Hour()][class]++
	d.total++
	if story.IsBuiltIn(record) {
		d.builtIn++
	}
	switch word := record.Outcome; {
	case record.Kind == audit.KindIntent:
		d.open.add(record, source)
	case word == audit.OutcomeUnknown && !changes(record):
		d.queries++
	case word == audit.OutcomeUnknown:
		settled, err := isSettled(ctx, source, record)
		if err != nil {
			return err
		}
		if !settled {
			d.unknown.add(record, source)
		}
	case word == audit.OutcomeConflict:
		d.conflicts.add(record, source)
	case word == audit.OutcomeRefused, word == audit.OutcomeRejected, word == audit.OutcomeMalformed, word == audit.OutcomePartial:
		r.refuse(record)
	}
	r.number(record)
	return nil
}

// changes reports whether the operation of a record changes something at the service.
func changes(record *audit.Record) bool {
	op := wsfev1.OperationByName(record.Operation)
	return op == nil || op.Effect == wsfev1.EffectChanges
}

// isSettled reports whether the gateway has learnt later what became of an exchange.
func isSettled(ctx context.Context, source site.Source, record *audit.Record) (bool, error) {
	x := story.ExchangeOf(record)
	err := (&read.Reader{Store: source.Store, Logs: source.Logs}).AddResult(ctx, x)
	return x.Settlement != nil, err
}

// finish sorts what was counted, and finds the gaps.
func (r *reader) finish() {
	d := &r.digest
	d.refusals = groups(r.refused)
	for s := range maps.Values(r.series) {
		s.measure()
		d.series = append(d.series, *s)
	}
	slices.SortFunc(d.series, func(a, b series) int {
		return cmp.Or(cmp.Compare(a.cuit, b.cuit), cmp.Compare(a.ptoVta, b.ptoVta), cmp.Compare(a.tipo, b.tipo))
	})
}
