package tally

import (
	"cmp"
	"slices"

	"github.com/fielato/fielato/caddymodule/internal/environment"
	"github.com/fielato/fielato/wsfev1"
)

// View is what a day comes to for a reader.
type View struct {
	// Hours counts the exchanges of clients by hour and by class, in the order of Classes.
	Hours [24][4]int
	Total int
	// BuiltIn counts the exchanges that the built-in service has answered, Queries the queries without an
	// answer: they have changed nothing. TurnedAway counts the requests that were refused or not carried out,
	// or of which nobody knows.
	BuiltIn, Queries, TurnedAway int
	// Open are the exchanges whose result is not known, by Open. Conflicts are the requests that another one
	// for the same invoice contradicts.
	Open      [3]Needs
	Conflicts Needs
	// Unreadable are the records that are damaged. Nobody knows whose some of them are: these count for readers of all
	// issuers alone, and Damaged is set for every reader.
	Unreadable Needs
	Damaged    bool
	// Refusals are the reasons that repeat, the most frequent first. Issued counts the refused invoices that
	// are issued.
	Refusals []Refusal
	Issued   int
	Series   []Series
}

// ViewOf returns the counts of the same day in several stores, of the issuers for whom sees is true. 0 stands
// for requests that name no issuer.
func ViewOf(days []*Day, sees func(wsfev1.CUIT) bool) *View {
	v, all := &View{}, map[wsfev1.CUIT]*issuer{}
	for _, d := range days {
		d.mu.Lock()
		defer d.mu.Unlock()
		for cuit, one := range d.issuers {
			v.Damaged = v.Damaged || cuit == 0 && one.unreadable.Count > 0
			switch {
			case !sees(cuit):
			case len(days) == 1:
				v.add(one)
			default:
				if all[cuit] == nil {
					all[cuit] = newIssuer()
				}
				all[cuit].merge(one, d.Mark)
			}
		}
		for _, one := range d.open {
			if sees(one.cuit) {
				v.Open[one.why].add(one.in(d.Mark))
			}
		}
	}
	for _, one := range all {
		v.add(one)
	}
	slices.SortFunc(v.Refusals, func(a, b Refusal) int {
		return cmp.Or(cmp.Compare(max(b.Invoices, b.Requests), max(a.Invoices, a.Requests)), cmp.Compare(a.Code, b.Code), cmp.Compare(a.Cuit, b.Cuit))
	})
	slices.SortFunc(v.Series, func(a, b Series) int {
		return cmp.Or(cmp.Compare(a.Cuit, b.Cuit), cmp.Compare(a.PtoVta, b.PtoVta), cmp.Compare(a.Tipo, b.Tipo), environment.Compare(a.Environment, b.Environment))
	})
	return v
}

// add adds an issuer.
func (v *View) add(one *issuer) {
	for h, classes := range one.hours {
		for i, n := range classes {
			v.Hours[h][i] += n
			v.Total += n
		}
	}
	v.BuiltIn += one.builtIn
	v.Queries += one.queries
	v.TurnedAway += one.turnedAway
	v.Conflicts.addAll(&one.conflicts, "")
	v.Unreadable.addAll(&one.unreadable, "")
	refusals, issued := one.refusals()
	v.Refusals, v.Issued = append(v.Refusals, refusals...), v.Issued+issued
	for key, s := range one.series {
		v.Series = append(v.Series, s.measure(key))
	}
}

// merge adds the counts of the same issuer in another store.
func (one *issuer) merge(other *issuer, mark string) {
	for h, classes := range other.hours {
		for i, n := range classes {
			one.hours[h][i] += n
		}
	}
	one.builtIn += other.builtIn
	one.queries += other.queries
	one.turnedAway += other.turnedAway
	one.conflicts.addAll(&other.conflicts, mark)
	one.unreadable.addAll(&other.unreadable, mark)
	for what, r := range other.refused {
		if what.number == 0 {
			what.request.Log += mark
		}
		known := one.refused[what]
		if known == nil {
			known = &refused{}
			one.refused[what] = known
		}
		if newest := r.newest.in(mark); known.codes == nil || compareFound(newest, known.newest) > 0 {
			known.codes, known.newest = r.codes, newest
		}
		for _, request := range r.requests {
			known.requests = append(known.requests, Found{Place: request}.in(mark).Place)
		}
	}
	for key, s := range other.series {
		known := one.series[key]
		if known == nil {
			known = &numbers{}
			one.series[key] = known
		}
		if s.when.After(known.when) {
			known.when = s.when
		}
		for _, taken := range s.spans {
			known.take(taken)
		}
	}
}

// addAll adds the needs of another store.
func (n *Needs) addAll(other *Needs, mark string) {
	n.Count += other.Count
	for _, found := range other.Newest {
		n.keep(found.in(mark))
	}
}

// in returns the same in the log of another store.
func (f Found) in(mark string) Found {
	f.Log += mark
	return f
}
