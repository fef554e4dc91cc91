package tally_test

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/audit/sqlite"
	"github.com/fielato/fielato/caddymodule/internal/story"
	"github.com/fielato/fielato/caddymodule/internal/tally"
	"github.com/fielato/fielato/caddymodule/internal/tally/tallytest"
	"github.com/fielato/fielato/internal/audittest"
	"github.com/fielato/fielato/wsfev1"
)

// naiveCauses looks at each exchange of a day as a whole.
func naiveCauses(exchanges map[story.Place]*tallytest.Exchange, since time.Time, sees func(wsfev1.CUIT) bool) []*tally.Cause {
	all := map[string]*tally.Cause{}
	for _, x := range exchanges {
		request := cmp.Or(x.Intent, x.Outcome)
		if request == nil || x.Outcome == nil || request.Time.Before(since) || !request.Time.Before(since.AddDate(0, 0, 1)) || !sees(request.Cuit) {
			continue
		}
		codes, service := naiveCodes(x.Outcome)
		for code := range codes {
			found := tally.Found{Place: story.Place{Log: x.Outcome.Log, Index: x.Outcome.Index}, At: request.Time}
			of := all[code]
			if of == nil {
				of = &tally.Cause{Code: code, First: request.Time, Newest: found, Clients: map[string]int{}}
				all[code] = of
			}
			if service {
				of.Service++
			} else {
				of.Gateway++
			}
			if request.Time.Before(of.First) {
				of.First = request.Time
			}
			later := cmp.Or(request.Time.Compare(of.Newest.At), cmp.Compare(found.Log, of.Newest.Log), cmp.Compare(found.Index, of.Newest.Index))
			if later > 0 {
				of.Newest = found
			}
			of.Clients[cmp.Or(request.ClientIdentity, request.ClientAddress)]++
		}
	}
	return slices.SortedFunc(maps.Values(all), func(a, b *tally.Cause) int {
		return cmp.Or(b.Service+b.Gateway-a.Service-a.Gateway, strings.Compare(a.Code, b.Code))
	})
}

// naiveCodes returns the reasons of a request that was turned down, and whether the service has done that.
func naiveCodes(r *audit.Record) (codes map[string]bool, service bool) {
	codes = map[string]bool{}
	if slices.Contains([]audit.Outcome{"approved", "observed", "recovered", "replayed", "answered", "cached", "not_issued", "different"}, r.Outcome) {
		return codes, false
	}
	for _, f := range r.Findings {
		if f.Action == "refuse" {
			codes[f.Code] = true
		}
	}
	if len(codes) > 0 {
		return codes, false
	}
	for _, m := range audit.Messages(r.Answer) {
		codes[m.Code] = true
	}
	return codes, slices.Contains([]audit.Outcome{"rejected", "partial", "upstream_error"}, r.Outcome)
}

func printed(causes []*tally.Cause) string {
	var all []string
	for _, one := range causes {
		all = append(all, fmt.Sprintf("%+v", *one))
	}
	return strings.Join(all, "\n")
}

// TestDamageIsCounted, and all that can be read is counted beside it.
func TestDamageIsCounted(t *testing.T) {
	store, err := sqlite.Open(filepath.Join(t.TempDir(), "audit.db"))
	if err != nil {
		t.Fatal(err)
	}
	w, err := audit.Open(t.Context(), store, "a", audittest.Key(t, "a"), audit.Options{First: true, Random: rand.NewChaCha8([32]byte{1})})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := cmp.Or(w.Close(), store.Close()); err != nil {
			t.Error(err)
		}
	})
	for i := range 6 {
		r := audit.Record{
			Kind: audit.KindExchange, ID: fmt.Sprint(i), Time: day.Add(time.Hour), Operation: "FECAESolicitar", Cuit: tallytest.Issuers[i%2], PtoVta: 1, CbteTipo: 6,
			Decision: "forward", Outcome: "rejected", Certainty: audit.Answered, Vouchers: []audit.Voucher{{CbteDesde: int64(i), CbteHasta: int64(i)}},
			Answer: []byte(`{"Errors":{"Err":[{"Code":10016,"Msg":"no"}]}}`),
		}
		if _, err := w.Append(t.Context(), &r); err != nil {
			t.Fatal(err)
		}
	}
	damaged := &audittest.Damaged{Store: store, Content: map[uint64]bool{1: true, 2: true}, Summary: map[uint64]bool{4: true}}
	d := tally.NewDay(day)
	for range 2 { // what was counted is not counted again
		if err := d.Follow(t.Context(), damaged, []string{"a"}); err != nil {
			t.Fatal(err)
		}
	}
	for of, want := range map[wsfev1.CUIT][2]int{0: {5, 3}, tallytest.Issuers[0]: {2, 1}, tallytest.Issuers[1]: {3, 1}} {
		sees := func(cuit wsfev1.CUIT) bool { return of == 0 || cuit == of }
		v := tally.ViewOf([]*tally.Day{d}, sees)
		if v.Total != want[0] || v.Unreadable.Count != want[1] || !v.Damaged {
			t.Errorf("%d: %d exchanges, %d unreadable, damaged %t; want %v", of, v.Total, v.Unreadable.Count, v.Damaged, want)
		}
	}
	if causes := tally.CausesOf([]*tally.Day{d}, everybody); len(causes) != 1 || causes[0].Service != 3 {
		t.Errorf("%s", printed(causes))
	}
}
