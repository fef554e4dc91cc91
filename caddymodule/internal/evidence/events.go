package evidence

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/outage"
	"github.com/fielato/fielato/caddymodule/internal/spanish"
)

// event is something that became known about the invoice.
type event struct {
	recordPlace
	at time.Time
	// exchange is the number of its exchange on the page; of is nil for an outage.
	exchange int
	of       *summary
	// intent: the request was recorded, and has no result yet.
	intent bool
	// text is set for an outage; the others are worded from their exchange.
	text string
}

// eventsOf returns the events in the order in which they became known. Within a log that is
// the order of its records; an intent, which has the time of its request, may come after what
// was asked first.
func eventsOf(exchanges []*summary, outages []event) []event {
	events := slices.Clone(outages)
	for i, s := range exchanges {
		if s.kind == audit.KindOutcome {
			events = append(events, event{recordPlace: s.intent, at: s.intendedAt(), exchange: i, of: s, intent: true})
		}
		events = append(events, event{
			recordPlace: s.recordPlace, at: s.known(), exchange: i, of: s, intent: s.kind == audit.KindIntent,
		})
	}
	byRecord := func(a, b event) int { return cmp.Or(cmp.Compare(a.log, b.log), cmp.Compare(a.index, b.index)) }
	slices.SortFunc(events, byRecord)
	for i := 1; i < len(events); i++ {
		if before := events[i-1]; before.log == events[i].log && events[i].at.Before(before.at) {
			events[i].at = before.at
		}
	}
	slices.SortStableFunc(events, func(a, b event) int { return a.at.Compare(b.at) })
	return events
}

// outagesDuring returns the outages that one of the exchanges fell into, as events: when the
// gateway noticed them, and when the service answered again.
func outagesDuring(ctx context.Context, store audit.Store, logs []string, exchanges []*summary) ([]event, error) {
	var records []*audit.Record
	ends := map[string]time.Time{}
	for record, err := range audit.SearchLogs(ctx, store, logs, audit.Query{Kind: audit.KindOutage}) {
		if err != nil {
			return nil, fmt.Errorf("searching for outages: %w", err)
		}
		if record.Outcome == outage.Ended {
			ends[record.ID] = record.Time.Add(record.Duration)
		}
		records = append(records, record)
	}
	var events []event
	for _, r := range records {
		end, ended := ends[r.ID]
		during := func(s *summary) bool {
			return s.log == r.Log && s.feelsOutage() && !s.known().Before(r.Time) && (!ended || !end.Before(s.began))
		}
		if !slices.ContainsFunc(exchanges, during) {
			continue
		}
		text := "El servicio no respondía desde el " + spanish.Moment(r.Time) + "."
		if r.Outcome == outage.Ended {
			text = "El servicio volvió a responder, después de " + spanish.Duration(r.Duration) + "."
		}
		events = append(events, event{recordPlace: recordPlace{r.Log, r.Index}, at: r.Time.Add(r.Duration), text: text})
	}
	return events, nil
}
