package tallytest

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/story"
	"github.com/fielato/fielato/caddymodule/internal/tally"
	"github.com/fielato/fielato/wsfev1"
)

// Exchange is an exchange of a client with all its records.
type Exchange struct {
	Intent, Outcome, Settlement *audit.Record
}

// Read reads every record of every log, one by one.
func Read(t *testing.T, store audit.Store, logs []string) map[story.Place]*Exchange {
	t.Helper()
	all := map[story.Place]*Exchange{}
	at := func(key story.Place) *Exchange {
		if all[key] == nil {
			all[key] = &Exchange{}
		}
		return all[key]
	}
	for _, log := range logs {
		head, err := store.Head(t.Context(), log)
		if err != nil {
			t.Fatal(err)
		}
		for i := range head.Size {
			r, err := store.Get(context.Background(), log, i)
			if err != nil {
				t.Fatal(err)
			}
			own := story.Place{Log: log, Index: i}
			switch {
			case r.Decision == audit.DecisionAsk:
			case r.Kind == audit.KindIntent:
				at(own).Intent = r
			case r.Kind == audit.KindOutcome:
				at(story.IntentOf(r)).Outcome = r
			case r.Kind == audit.KindSettlement:
				at(story.IntentOf(r)).Settlement = r
			case r.Kind == audit.KindExchange:
				at(own).Outcome = r
			}
		}
	}
	return all
}

// Shown is what a page shows of a view: numbers that do not depend on the order of anything.
type Shown struct {
	Hours                                       [24][4]int
	Total, BuiltIn, Queries, TurnedAway, Issued int
	// Open counts by tally.Open.
	Open      [3]int
	Conflicts int
	// Refusals have the invoices and the requests, by issuer and code.
	Refusals map[string][2]int
	// Series have the last number, how many there are, and how many are missing.
	Series map[tally.SeriesKey][3]int64
}

// ShownOf returns what a view shows.
func ShownOf(v *tally.View) Shown {
	s := Shown{Hours: v.Hours, Total: v.Total, BuiltIn: v.BuiltIn, Queries: v.Queries, TurnedAway: v.TurnedAway, Issued: v.Issued, Conflicts: v.Conflicts.Count, Refusals: map[string][2]int{}, Series: map[tally.SeriesKey][3]int64{}}
	for i := range v.Open {
		s.Open[i] = v.Open[i].Count
	}
	for _, r := range v.Refusals {
		s.Refusals[r.Cuit.String()+" "+r.Code] = [2]int{r.Invoices, r.Requests}
	}
	for _, one := range v.Series {
		s.Series[one.SeriesKey] = [3]int64{one.Last, one.Count, one.Missing}
	}
	return s
}

// DayOf counts the exchanges of a day, each looked at as a whole.
func DayOf(exchanges map[story.Place]*Exchange, since time.Time, sees func(wsfev1.CUIT) bool) Shown {
	s := Shown{Refusals: map[string][2]int{}, Series: map[tally.SeriesKey][3]int64{}}
	taken := map[tally.SeriesKey]map[int64]bool{}
	refused := map[string][]refusal{} // by invoice
	for _, x := range exchanges {
		request := cmp.Or(x.Intent, x.Outcome)
		if request == nil {
			continue // a settlement of another store's intent
		}
		if request.Time.Before(since) || !request.Time.Before(since.AddDate(0, 0, 1)) || !sees(request.Cuit) {
			continue
		}
		result := cmp.Or(x.Outcome, request)
		open := changesSomething(request) && (x.Outcome == nil || slices.Contains([]audit.Outcome{"unknown", "upstream_error"}, x.Outcome.Outcome))
		if open && x.Settlement != nil {
			result, open = x.Settlement, false
		}
		s.exchange(x, request, result, open)
		for _, r := range []*audit.Record{x.Outcome, x.Settlement} {
			naiveTake(taken, request, r)
		}
		if x.Outcome != nil {
			naiveRefuse(refused, x.Outcome, x.Outcome.Index)
		}
	}
	for key, numbers := range taken {
		all := slices.Sorted(maps.Keys(numbers))
		first, last := all[0], all[len(all)-1]
		s.Series[key] = [3]int64{last, int64(len(all)), last - first + 1 - int64(len(all))}
	}
	s.refuse(refused, taken)
	return s
}

func (s *Shown) exchange(x *Exchange, request, result *audit.Record, open bool) {
	class := map[audit.Outcome]int{
		"approved": 0, "observed": 0, "recovered": 0, "replayed": 0, "rejected": 1, "refused": 1, "malformed": 1, "partial": 1,
		"not_issued": 1, "different": 1, "conflict": 1, "unknown": 2, "upstream_error": 2, "unsettled": 2, "": 2,
		"answered": 3, "cached": 3, "outage": 3, "busy": 3, "not_sent": 3, "inadmissible": 3,
	}[result.Outcome]
	s.Hours[request.Time.In(wsfev1.Argentina).Hour()][class]++
	s.Total++
	if class == 1 || class == 2 || class == 3 && result.Outcome != "answered" && result.Outcome != "cached" {
		s.TurnedAway++
	}
	if x.Outcome != nil && x.Outcome.Upstream == "wsfev1_backend" {
		s.BuiltIn++
	}
	switch {
	case open && x.Outcome == nil:
		s.Open[0]++
	case open && x.Outcome.Outcome == "unknown":
		s.Open[1]++
	case open:
		s.Open[2]++
	case result.Outcome == "unknown":
		s.Queries++
	case result.Outcome == "conflict":
		s.Conflicts++
	}
}

func changesSomething(r *audit.Record) bool { return r.Operation != "FECompConsultar" }

// environmentOf returns the environment of the first record that tells it.
func environmentOf(records ...*audit.Record) audit.Environment {
	for _, r := range records {
		if of := cmp.Or(r.Environment, map[string]audit.Environment{audit.BuiltInUpstream: audit.EnvironmentBuiltIn}[r.Upstream]); of != "" {
			return of
		}
	}
	return ""
}

// naiveTake notes each number that a record has.
func naiveTake(taken map[tally.SeriesKey]map[int64]bool, request, r *audit.Record) {
	if r == nil || !slices.Contains([]audit.Outcome{"approved", "observed", "recovered", "partial"}, r.Outcome) {
		return
	}
	key := tally.SeriesKey{Environment: environmentOf(r, request), Cuit: request.Cuit, PtoVta: request.PtoVta, Tipo: request.CbteTipo}
	vouchers := r.Vouchers
	if len(vouchers) == 1 && vouchers[0].CbteDesde == 0 { // a settlement of a lot has its code alone
		vouchers = slices.Clone(request.Vouchers)
		for i := range vouchers {
			vouchers[i].Code = r.Vouchers[0].Code
		}
	}
	for _, v := range vouchers {
		for n := v.CbteDesde; n <= v.CbteHasta && v.Code != "" && v.Resultado != "R"; n++ {
			if taken[key] == nil {
				taken[key] = map[int64]bool{}
			}
			taken[key][n] = true
		}
	}
}

// refusal is a request that refused an invoice, and why.
type refusal struct {
	series tally.SeriesKey
	number int64
	place  story.Place
	at     time.Time
	codes  []string
}

// naiveRefuse notes what a record refuses, by the invoice.
func naiveRefuse(refused map[string][]refusal, r *audit.Record, _ uint64) {
	if !slices.Contains([]audit.Outcome{"refused", "malformed", "rejected", "partial"}, r.Outcome) {
		return
	}
	var codes []string
	for _, f := range r.Findings {
		if f.Action == "refuse" && !slices.Contains(codes, f.Code) {
			codes = append(codes, f.Code)
		}
	}
	if len(codes) == 0 {
		for _, m := range audit.Messages(r.Answer) {
			if !slices.Contains(codes, m.Code) {
				codes = append(codes, m.Code)
			}
		}
	}
	if len(codes) == 0 {
		return
	}
	one := refusal{tally.SeriesKey{Environment: environmentOf(r), Cuit: r.Cuit, PtoVta: r.PtoVta, Tipo: r.CbteTipo}, 0, story.Place{Log: r.Log, Index: r.Index}, r.Time, codes}
	if len(r.Vouchers) == 0 {
		refused[fmt.Sprint(one.place)] = append(refused[fmt.Sprint(one.place)], one)
	}
	for _, v := range r.Vouchers {
		if r.Outcome == "partial" && v.Resultado != "R" {
			continue
		}
		one.number = v.CbteDesde
		name := fmt.Sprint(one.series, one.number)
		refused[name] = append(refused[name], one)
	}
}

// refuse counts each invoice under one reason.
func (s *Shown) refuse(refused map[string][]refusal, taken map[tally.SeriesKey]map[int64]bool) {
	often := map[string]int{}
	newest := map[string]refusal{}
	for name, all := range refused {
		one := slices.MaxFunc(all, func(a, b refusal) int {
			return cmp.Or(a.at.Compare(b.at), cmp.Compare(a.place.Log, b.place.Log), cmp.Compare(a.place.Index, b.place.Index))
		})
		issued := false
		for series, numbers := range taken { // a refusal that does not tell its service is made good by any
			if one.series.Environment == "" {
				series.Environment = ""
			}
			issued = issued || series == one.series && numbers[one.number]
		}
		if issued {
			s.Issued++
			continue
		}
		newest[name] = one
		for _, code := range one.codes {
			often[one.series.Cuit.String()+" "+code]++
		}
	}
	invoices, requests := map[string]int{}, map[string]map[story.Place]bool{}
	for name, one := range newest {
		best := ""
		for _, code := range slices.Sorted(slices.Values(one.codes)) {
			if group := one.series.Cuit.String() + " " + code; best == "" || often[group] > often[best] {
				best = group
			}
		}
		if requests[best] == nil {
			requests[best] = map[story.Place]bool{}
		}
		if one.number > 0 {
			invoices[best]++
		}
		for _, r := range refused[name] {
			requests[best][r.place] = true
		}
	}
	for group, all := range requests {
		if max(len(all), invoices[group]) >= tally.Repeats {
			s.Refusals[group] = [2]int{invoices[group], len(all)}
		}
	}
}
