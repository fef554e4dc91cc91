package tally

import (
	"cmp"
	"slices"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/story"
	"github.com/fielato/fielato/wsfev1"
)

// Classes are the classes in which exchanges are counted.
var Classes = []story.Class{story.Good, story.Bad, story.Open, Other}

// issuer has the counts of one issuer; the one without a number has the counts of requests that name none, and of issuers
// for whom there was no room.
type issuer struct {
	// hours counts the exchanges of clients by hour and class.
	hours [24][4]int
	// builtIn counts those that the built-in service has answered, queries the queries without an answer,
	// turnedAway the requests that were refused or not carried out, and the open ones.
	builtIn, queries, turnedAway int
	conflicts, unreadable        Needs
	causes                       map[string]*cause
	refused                      map[invoice]*refused
	series                       map[SeriesKey]*numbers
}

// Needs are exchanges of one kind that need a person.
type Needs struct {
	Count int
	// Newest are the newest of them, at most MaxNeeds, the newest first.
	Newest []Found
}

// Found is an exchange, and when its request came.
type Found struct {
	story.Place
	At time.Time
}

// MaxNeeds bounds Needs.Newest.
const MaxNeeds = 5

func (n *Needs) add(found Found) {
	n.Count++
	n.keep(found)
}

func (n *Needs) keep(found Found) {
	at, _ := slices.BinarySearchFunc(n.Newest, found, func(a, b Found) int {
		return cmp.Or(b.At.Compare(a.At), cmp.Compare(a.Log, b.Log), cmp.Compare(b.Index, a.Index))
	})
	if at < MaxNeeds {
		n.Newest = slices.Insert(n.Newest, at, found)
		n.Newest = n.Newest[:min(len(n.Newest), MaxNeeds)]
	}
}

func newIssuer() *issuer {
	return &issuer{refused: map[invoice]*refused{}, series: map[SeriesKey]*numbers{}, causes: map[string]*cause{}}
}

// issuerWeight is how many of the things that a Day keeps an issuer takes the memory of.
const issuerWeight = 6

// issuer returns the counts of an issuer, which it makes. Without room for one more, that issuer counts with the requests
// that name none, and so do all new ones from then on: what was counted there is taken back there.
func (d *Day) issuer(cuit wsfev1.CUIT) *issuer {
	one := d.issuers[cuit]
	if one != nil {
		return one
	}
	if cuit != 0 && (d.crowded || !d.keep(issuerWeight)) {
		d.crowded = true
		return d.issuer(0)
	}
	one = newIssuer()
	d.issuers[cuit] = one
	return one
}

// count counts n exchanges more of a class. All that are bad or open were turned away.
func (one *issuer) count(at time.Time, class story.Class, n int) {
	one.hours[at.In(wsfev1.Argentina).Hour()][slices.Index(Classes, class)] += n
	if class == story.Bad || class == story.Open {
		one.turnedAway += n
	}
}

// note counts what a record is beside its class.
func (one *issuer) note(r *audit.Record, class story.Class, place story.Place, at time.Time) {
	if r.Upstream == audit.BuiltInUpstream && r.Kind != audit.KindIntent {
		one.builtIn++
	}
	if class == Other && !isAnswer(r.Outcome) {
		one.turnedAway++
	}
	switch {
	case r.Outcome == audit.OutcomeUnknown && !changes(r):
		one.queries++
	case r.Outcome == audit.OutcomeConflict:
		one.conflicts.add(Found{place, at})
	}
}

// isAnswer reports whether a query was answered.
func isAnswer(word audit.Outcome) bool {
	return word == audit.OutcomeAnswered || word == audit.OutcomeCached
}

// number notes the numbers that a service has given in an approved record. The settlement of a lot of CAEA has the numbers
// of its intent.
func (d *Day) number(one *issuer, r *audit.Record, of *numbering) {
	if of.cuit == 0 || !takesNumbers(r) {
		return
	}
	key := d.keyOf(of.cuit, r, of.service)
	vouchers := r.Vouchers
	if first, _ := story.Numbers(r); first == 0 && of.intent != nil && r.Outcome == audit.OutcomeRecovered && len(vouchers) > 0 {
		vouchers = slices.Clone(of.intent.Vouchers)
		for i := range vouchers {
			vouchers[i].Code = cmp.Or(vouchers[i].Code, r.Vouchers[0].Code)
		}
	}
	for _, v := range vouchers {
		if v.Code == "" || v.Resultado == wsfev1.Rechazado || v.CbteDesde <= 0 || v.CbteHasta < v.CbteDesde || v.CbteHasta > maxNumber {
			continue
		}
		s := one.series[key]
		if s == nil {
			if !d.keep(1) {
				return
			}
			s = &numbers{}
			one.series[key] = s
		}
		if of.at.After(s.when) {
			s.when = of.at
		}
		d.keepSpans(s.take(span{v.CbteDesde, v.CbteHasta}))
	}
}

// keepSpans counts how many spans more or less are kept. They stay: without them other numbers would be wrong.
func (d *Day) keepSpans(n int) {
	if d.kept += n; d.kept > MaxKept {
		d.overfull = true
	}
}
