package caddymodule

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/once"
	"github.com/fielato/fielato/wsfev1"
)

// watches are those of a trail, by the names of the services.
type watches struct {
	journal outageJournal

	mu  sync.Mutex // guards all
	all map[string]*watch
}

// of returns the watch of a service.
func (ws *watches) of(name string) *watch {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	if w, ok := ws.all[name]; ok {
		return w
	}
	w := &watch{
		journal: ws.journal, name: name,
		breaker: once.Breaker{Threshold: defaultBreakerFailures, Rest: defaultBreakerRest, Now: time.Now},
	}
	for i := range w.rows {
		w.rows[i].end(name, once.Scope(i), time.Time{})
	}
	if ws.all == nil {
		ws.all = map[string]*watch{}
	}
	ws.all[name] = w
	return w
}

// recalledOutages bounds how many records of outages are looked at when a trail is opened.
const recalledOutages = 256

// recall takes up the outages that lasted when the trail was closed: the first answer
// ends them.
func (ws *watches) recall(ctx context.Context, store audit.Store, log string) error {
	var seen []string
	for record, err := range store.Search(ctx, audit.Query{Log: log, Kind: audit.KindOutage, Limit: recalledOutages}) {
		if err != nil {
			return fmt.Errorf("looking for an outage that lasts: %w", err)
		}
		o, err := outageOf(record)
		if err != nil {
			return err
		}
		if slices.Contains(seen, o.Service) {
			continue
		}
		seen = append(seen, o.Service)
		if record.Outcome == outcomeOutageBegan {
			w := ws.of(o.Service)
			w.rows[o.scope()].incident = *o
			w.breaker.Restore(o.scope(), record.Time, o.count())
		}
	}
	return nil
}

// close writes what is unwritten. Nobody uses the watches any more.
func (ws *watches) close() {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	for _, w := range ws.all {
		w.write()
	}
}

// each calls f for each outage that lasts. The row must not be changed.
func (ws *watches) each(f func(service string, since time.Time, o *incident)) {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	for name, w := range ws.all {
		if scope, since, open := w.breaker.Open(); open {
			w.mu.Lock()
			f(name, since, &w.rows[scope].incident)
			w.mu.Unlock()
		}
	}
}

// shownOutage is how the admin API shows an outage that lasts.
type shownOutage struct {
	// Service is the breaker's name, Scope what it does not answer: changes, or no text for
	// everything. Since is a time in Argentina.
	Service  string `json:"service,omitzero"`
	Scope    string `json:"scope,omitzero"`
	Since    string `json:"since"`
	Failures int    `json:"failures"`
	Upstream string `json:"upstream,omitzero"`
}

// shown returns the outages that last, by service.
func (ws *watches) shown() (all []shownOutage) {
	ws.each(func(name string, since time.Time, o *incident) {
		all = append(all, shownOutage{name, o.Scope, since.In(wsfev1.Argentina).Format(time.RFC3339), o.count(), o.upstream})
	})
	slices.SortFunc(all, func(a, b shownOutage) int { return strings.Compare(a.Service, b.Service) })
	return all
}
