package story

import (
	"cmp"
	"slices"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/outcome"
)

// Outage is a time in which the service did not answer, by its two records.
type Outage struct {
	// Began is nil if only the end was found, Ended while it lasts.
	Began, Ended *audit.Record
}

// OutagesOf pairs the records of outages, in any order. The outages are in the order of their first record.
func OutagesOf(records []*audit.Record) []*Outage {
	var all []*Outage
	byID := map[string]*Outage{}
	for _, r := range records {
		id := r.Log + "/" + r.ID
		one := byID[id]
		if one == nil {
			one = &Outage{}
			byID[id] = one
			all = append(all, one)
		}
		if r.Outcome == outcome.OutageEnded {
			one.Ended = r
		} else {
			one.Began = r
		}
	}
	return all
}

// During reports whether the service did not answer at some time from began to ended.
func (o *Outage) During(began, ended time.Time) bool {
	if o.Ended != nil && Ended(o.Ended).Before(began) {
		return false
	}
	return !ended.Before(cmp.Or(o.Began, o.Ended).Time)
}

// FellInto returns the outages that one of the exchanges fell into.
func FellInto(all []*Outage, entries []*Entry) (those []*Outage) {
	for _, o := range all {
		log := cmp.Or(o.Began, o.Ended).Log
		if slices.ContainsFunc(entries, func(s *Entry) bool { return s.Log == log && s.feelsOutage() && o.During(s.Began, s.Known()) }) {
			those = append(those, o)
		}
	}
	return those
}
