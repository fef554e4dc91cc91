package tally

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/damage"
	"github.com/fielato/fielato/caddymodule/internal/outcome"
	"github.com/fielato/fielato/caddymodule/internal/story"
	"github.com/fielato/fielato/wsfev1"
)

// MaxKept bounds what a Day keeps: refused invoices and their requests, exchanges that are open, settlements, runs of
// numbers, reasons and their clients. Each takes up to about 200 bytes. An issuer with its counters counts like six.
const MaxKept = 100_000

// Day has the counts of a day of one store. It is safe for concurrent use, except for Follow.
type Day struct {
	// Since is included, Until is not.
	Since, Until time.Time
	// Mark stands behind the names of logs in a View: it tells them from logs of another store.
	Mark string

	mu      sync.Mutex // guards what follows
	issuers map[wsfev1.CUIT]*issuer
	logs    map[string]*logState
	// open are the exchanges whose result is not known, by the place of their intent; settled are those whose
	// result was found out later.
	open    map[story.Place]opened
	settled map[story.Place]settled
	// flaws are the records that cannot be read: each may be met more than once.
	flaws map[story.Place]struct{}
	// words has each text of the records once: a text of a record keeps the memory of its whole summary.
	words map[string]string
	kept  int
	// overfull: there was more than MaxKept. crowded: an issuer had no room.
	overfull, crowded, whole bool
}

// NewDay returns the day that begins at a moment in Argentina, with nothing read.
func NewDay(since time.Time) *Day {
	d := &Day{Since: since, Until: since.AddDate(0, 0, 1)}
	d.reset()
	return d
}

func (d *Day) reset() {
	d.issuers, d.logs, d.words = map[wsfev1.CUIT]*issuer{}, map[string]*logState{}, map[string]string{}
	d.open, d.settled, d.flaws = map[story.Place]opened{}, map[story.Place]settled{}, map[story.Place]struct{}{}
	d.kept, d.overfull, d.crowded, d.whole = 0, false, false, false
}

// settled is what was found out later. intent is set as long as the exchange is counted for its intent: there
// was no outcome yet.
type settled struct {
	class  story.Class
	intent *opened
}

// opened is an exchange whose result is not known, with its newest record.
type opened struct {
	why  Open
	cuit wsfev1.CUIT
	Found
}

// Open is why the result of an exchange is not known.
type Open uint8

const (
	// Unanswered: there is an intent and no outcome.
	Unanswered Open = iota
	// Unknown: no answer came to a request that may have changed something.
	Unknown
	// Failed: the service failed, or something else answered, and the request may have changed something.
	Failed
)

// keep counts n things more that are kept, and reports whether there is room for them.
func (d *Day) keep(n int) bool {
	if n > 0 && d.kept+n > MaxKept {
		d.overfull = true
		return false
	}
	d.kept += n
	return true
}

func (d *Day) word(text string) string {
	known, ok := d.words[text]
	if !ok {
		known = strings.Clone(text)
		if len(d.words) < MaxKept {
			d.words[known] = known
		}
	}
	return known
}

func (d *Day) placeOf(p story.Place) story.Place {
	return story.Place{Log: d.word(p.Log), Index: p.Index}
}

// within reports whether a moment is on the day.
func (d *Day) within(at time.Time) bool { return !at.Before(d.Since) && at.Before(d.Until) }

// subject returns the issuer of a record and when its request came. An outcome that was found out later has
// another time than its intent, and one without an issuer has the intent's.
func (d *Day) subject(ctx context.Context, store audit.Store, r *audit.Record) (cuit wsfev1.CUIT, at time.Time, intent *audit.Record, err error) {
	cuit, at = r.Cuit, r.Time
	if r.Kind != audit.KindSettlement && (r.Kind != audit.KindOutcome || cuit != 0 && !isFoundOut(r)) {
		return cuit, at, nil, nil
	}
	place := story.IntentOf(r)
	intent, err = store.Get(ctx, place.Log, place.Index)
	switch {
	case errors.Is(err, audit.ErrNotFound): // a copy of one log does not have it
		return cuit, at, nil, nil
	case damage.Is(err):
		d.addFlaw(&damage.Error{Log: place.Log, First: place.Index, Next: place.Index + 1})
		return cuit, at, nil, nil
	case err != nil:
		return 0, at, nil, fmt.Errorf("reading the intent %s: %w", place.Address(), err)
	}
	return cmp.Or(cuit, intent.Cuit), intent.Time, intent, nil
}

// isFoundOut reports whether the gateway asked the service what became of the request.
func isFoundOut(r *audit.Record) bool {
	return r.Outcome == audit.OutcomeRecovered || r.Outcome == audit.OutcomeNotIssued || r.Outcome == outcome.Different
}

// add counts one record. Questions of the gateway are no exchanges of a client.
func (d *Day) add(ctx context.Context, store audit.Store, r *audit.Record) error {
	if r.Decision == audit.DecisionAsk {
		return nil
	}
	if r.Kind == audit.KindSettlement {
		return d.settle(ctx, store, r)
	}
	of, err := d.numberedBy(ctx, store, r)
	if err != nil || !d.within(of.at) {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	cuit, at := of.cuit, of.at
	one, own := d.issuer(cuit), d.placeOf(story.Place{Log: r.Log, Index: r.Index})
	place := own
	if r.Kind == audit.KindOutcome {
		place = story.IntentOf(r)
		d.close(place)
	}
	class := classOf(r)
	if why, open := openOf(r); open {
		if found, ok := d.settled[place]; ok {
			class = found.class
			if why == Unanswered {
				d.settled[place] = settled{found.class, &opened{why, cuit, Found{own, at}}}
			}
		} else if d.keep(1) {
			d.open[d.placeOf(place)] = opened{why, cuit, Found{own, at}}
		}
	}
	one.count(at, class, 1)
	one.note(r, class, own, at)
	d.blame(one, cuit, r, at)
	d.number(one, r, &of)
	return nil
}

// close takes the intent out of the counts whose outcome has come.
func (d *Day) close(place story.Place) {
	if was, ok := d.open[place]; ok && was.why == Unanswered {
		d.issuer(was.cuit).count(was.At, story.Open, -1)
		delete(d.open, place)
		d.kept--
	}
	if was, ok := d.settled[place]; ok && was.intent != nil {
		d.issuer(was.intent.cuit).count(was.intent.At, was.class, -1)
		d.settled[place] = settled{class: was.class}
	}
}

// settle notes the answer of the service to a later question about an exchange, which may be in another log.
func (d *Day) settle(ctx context.Context, store audit.Store, r *audit.Record) error {
	of, err := d.numberedBy(ctx, store, r)
	if err != nil || !d.within(of.at) {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	place := story.IntentOf(r)
	if _, known := d.settled[place]; known || !d.keep(1) {
		return nil
	}
	found := settled{class: classOf(r)}
	if was, ok := d.open[place]; ok {
		d.issuer(was.cuit).count(was.At, story.Open, -1)
		d.issuer(was.cuit).count(was.At, found.class, 1)
		delete(d.open, place)
		d.kept--
		if was.why == Unanswered {
			found.intent = &was
		}
	}
	d.settled[d.placeOf(place)] = found
	d.number(d.issuer(of.cuit), r, &of)
	return nil
}

// openOf reports whether the result of a request that changes something is not known, and why.
func openOf(r *audit.Record) (Open, bool) {
	switch {
	case r.Kind == audit.KindIntent:
		return Unanswered, true
	case !changes(r):
		return 0, false
	case r.Outcome == audit.OutcomeUnknown:
		return Unknown, true
	}
	return Failed, r.Outcome == audit.OutcomeUpstreamError
}

// changes reports whether the operation of a record may change something at the service.
func changes(r *audit.Record) bool {
	op := wsfev1.OperationByName(r.Operation)
	return op == nil || op.Effect == wsfev1.EffectChanges
}

// classOf returns the class of a record. One that found another invoice under the number was not issued.
func classOf(r *audit.Record) story.Class {
	if r.Outcome == outcome.Different {
		return story.Bad
	}
	return cmp.Or(story.ClassOf(r), Other)
}

// Other is the class of outcomes that are neither good nor bad nor open.
const Other story.Class = "other"
