package outage

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/wsfev1"
)

// Monitors are the monitors of a trail, by the names of the services.
type Monitors struct {
	// Journal takes the records. It must be set before the first call of Of.
	Journal Journal

	mu  sync.Mutex // guards all
	all map[string]*Monitor
}

// Of returns the monitor of a service. It makes one at the first call.
func (ws *Monitors) Of(name string) *Monitor {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	if w, ok := ws.all[name]; ok {
		return w
	}
	w := &Monitor{
		journal: ws.Journal, name: name,
		Breaker: Breaker{Threshold: defaultFailures, Cooldown: defaultRest, Now: time.Now},
	}
	for i := range w.streaks {
		w.streaks[i].end(name, Scope(i), time.Time{})
	}
	if ws.all == nil {
		ws.all = map[string]*Monitor{}
	}
	ws.all[name] = w
	return w
}

// recalledOutages is how many records of outages are read when a trail is opened.
const recalledOutages = 256

// Recall restores the outages that had not ended when the trail was closed. The first answer
// ends them.
func (ws *Monitors) Recall(ctx context.Context, store audit.Store, log string) error {
	var seen []string
	for record, err := range store.Search(ctx, audit.Query{Log: log, Kind: audit.KindOutage, Limit: recalledOutages}) {
		if err != nil {
			return fmt.Errorf("looking for an outage that lasts: %w", err)
		}
		o, err := Read(record)
		if err != nil {
			return err
		}
		if slices.Contains(seen, o.Service) {
			continue
		}
		seen = append(seen, o.Service)
		if record.Outcome == Began {
			w := ws.Of(o.Service)
			w.streaks[o.scope()].Incident = *o
			w.Breaker.Restore(o.scope(), record.Time, o.Count())
		}
	}
	return nil
}

// Close writes the unwritten records. The monitors must not be used any more.
func (ws *Monitors) Close() {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	for _, w := range ws.all {
		w.write()
	}
}

// Each calls f for each present outage. f must not change the incident.
func (ws *Monitors) Each(f func(service string, since time.Time, o *Incident)) {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	for name, w := range ws.all {
		if scope, since, open := w.Breaker.Open(); open {
			w.mu.Lock()
			f(name, since, &w.streaks[scope].Incident)
			w.mu.Unlock()
		}
	}
}

// Shown is a present outage as the admin API shows it.
type Shown struct {
	// Service is the breaker's name. Scope says which requests are not answered: changes, or empty for
	// everything. Since is a time in Argentina.
	Service  string `json:"service,omitzero"`
	Scope    string `json:"scope,omitzero"`
	Since    string `json:"since"`
	Failures int    `json:"failures"`
	Upstream string `json:"upstream,omitzero"`
}

// Shown returns the present outages, ordered by service.
func (ws *Monitors) Shown() (all []Shown) {
	ws.Each(func(name string, since time.Time, o *Incident) {
		all = append(all, Shown{name, o.Scope, since.In(wsfev1.Argentina).Format(time.RFC3339), o.Count(), o.Upstream})
	})
	slices.SortFunc(all, func(a, b Shown) int { return strings.Compare(a.Service, b.Service) })
	return all
}
