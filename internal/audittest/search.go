package audittest

import (
	"errors"
	"testing"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/testrun"
)

// compare searches the store and looks at each record of the log, which must come
// to the same.
func compare(t *testing.T, s audit.Store, log []*audit.Record, query audit.Query) (found int) {
	t.Helper()
	if query.Log == "" {
		query.Log = logName
	}
	want := find(log, &query)
	for r, err := range s.Search(t.Context(), query) {
		switch {
		case err != nil:
			t.Fatalf("search %+v: %v", query, err)
		case found == len(want):
			t.Fatalf("search %+v: record %d is one too many", query, r.Index)
		case r.Index != want[found].Index || r.Log != query.Log || r.ID != want[found].ID:
			t.Fatalf("search %+v: %d. is record %d, want %d", query, found+1, r.Index, want[found].Index)
		}
		found++
	}
	if found != len(want) {
		t.Fatalf("search %+v: %d records, want %d", query, found, len(want))
	}
	return found
}

// searchIsComplete fills a log with more records than a store keeps in one block of an index, so that both sides of
// its boundary are looked at.
func searchIsComplete(t *testing.T, open Open, records int) {
	s := open(t)
	all := fill(t, s, records, varied(11))
	queries := []audit.Query{{}}
	// One record on each side of it, and more in a long campaign.
	for i := 7; i < len(all); i += testrun.Whole(t, records*9/10, 701) {
		queries = append(queries, queriesFor(all[i])...)
	}
	for _, q := range queries {
		compare(t, s, all, q)
	}
	s = reopen(t, s, open)
	defer closeStore(t, s)
	for _, q := range queries[:20] {
		compare(t, s, all, q)
	}
}

// varied returns records with what a Source does not make: other clients, rejections by the service, and reads
// of the trail.
func varied(seed uint64) func(index uint64) *audit.Record {
	source := NewSource(seed)
	return func(index uint64) *audit.Record {
		r := source.Next(index)
		r.ClientIdentity = [...]string{"", "billing", "CN=shop"}[index%3]
		switch {
		case r.Outcome == "approved" && index%7 == 0:
			r.Outcome = "rejected"
			r.Answer = []byte(`{"Errors":{"Err":[{"Code":10016,"Msg":"number"}]}}`)
		case r.Kind == audit.KindExchange && index%5 == 0:
			*r = audit.Record{
				Kind: audit.KindAccess, ID: r.ID, Time: r.Time, ClientIdentity: "auditor@office",
				Detail: "audit search --outcome unknown",
			}
		}
		return r
	}
}

// queriesFor returns queries that a person would ask to find this record.
func queriesFor(r *audit.Record) []audit.Query {
	queries := []audit.Query{
		{Cuit: r.Cuit, Limit: 20},
		{Cuit: r.Cuit, PtoVta: r.PtoVta, CbteTipo: r.CbteTipo, Outcome: "unknown"},
		{Operation: r.Operation, Outcome: r.Outcome, Since: r.Time, Limit: 5},
		{Since: r.Time, Until: r.Time.Add(time.Minute)},
		{Outcome: r.Outcome, Until: r.Time, Limit: 3},
		{CbteTipo: r.CbteTipo, Operation: "FECAESolicitar", Since: r.Time.Add(-time.Hour), Until: r.Time},
		{Cuit: r.Cuit + 1000},
		{Operation: "none"},
		{Before: r.Index, Limit: 30},
		{From: r.Index},
		{From: r.Index, Cuit: r.Cuit, Limit: 5},
		{From: r.Index / 2, Before: r.Index, Outcome: r.Outcome},
		{From: r.Index, Kind: audit.KindIntent},
		{From: r.Index, Before: r.Index + 1},
		{Cuit: r.Cuit, Before: r.Index + 1, Limit: 4},
		{Outcome: r.Outcome, Before: r.Index},
		{ID: r.ID},
		{ID: r.ID, Operation: r.Operation},
		{ClientIdentity: r.ClientIdentity, Limit: 25},
		{ClientIdentity: r.ClientIdentity, Cuit: r.Cuit, Before: r.Index},
		{Kind: r.Kind, Limit: 9},
		{Kind: audit.KindIntent, Cuit: r.Cuit},
		{Kind: audit.KindIntent, Before: r.Index, Limit: 3},
		{Kind: audit.KindIntent, Since: r.Time.Add(-time.Minute), Until: r.Time.Add(time.Minute)},
		{Kind: audit.KindAccess, Before: r.Index, Limit: 7},
		{Finding: "10016", Limit: 40},
		{Finding: "shape.required", Before: r.Index, Limit: 4},
		{Certainty: audit.Unknown, Before: r.Index, Limit: 4},
	}
	queries = append(queries, boundedBy(r)...)
	for _, n := range append(r.Receivers(), 20222222223)[:1] {
		queries = append(queries, audit.Query{Receiver: n, Limit: 30}, audit.Query{Receiver: n, Cuit: r.Cuit, Before: r.Index + 1, SummaryOnly: true, Limit: 3},
			audit.Query{Receiver: n + 1}, audit.Query{Receiver: n, Kind: audit.KindIntent})
	}
	for _, v := range r.Vouchers[:min(2, len(r.Vouchers))] {
		series := audit.Query{Cuit: r.Cuit, PtoVta: r.PtoVta, CbteTipo: r.CbteTipo}
		for _, n := range []int64{v.CbteDesde, (v.CbteDesde + v.CbteHasta) / 2, v.CbteHasta} {
			q := series
			q.Number = n
			queries = append(queries, q, audit.Query{Cuit: r.Cuit, Number: n}, audit.Query{PtoVta: r.PtoVta, Number: n},
				audit.Query{PtoVta: r.PtoVta, CbteTipo: r.CbteTipo, Number: n, Before: r.Index + 1}, audit.Query{Cuit: r.Cuit, PtoVta: r.PtoVta, Number: n},
				audit.Query{PtoVta: r.PtoVta, CbteTipos: []int32{r.CbteTipo, 99}, Number: n}, audit.Query{Cuit: r.Cuit, PtoVta: r.PtoVta, CbteTipos: []int32{99, r.CbteTipo}, Number: n})
		}
		queries = append(queries, audit.Query{Code: v.Code, Limit: 9}, audit.Query{Code: v.Code, Cuit: r.Cuit, Limit: 9})
	}
	return queries
}

func lotIsFoundByEachVoucher(t *testing.T, open Open) {
	s := open(t)
	defer closeStore(t, s)
	source := NewSource(12)
	intent := source.Issue(250)
	intent.Kind = audit.KindIntent
	outcome := *intent
	outcome.Vouchers = append([]audit.Voucher(nil), intent.Vouchers...)
	source.Answer(&outcome)
	outcome.Kind, outcome.Intent = audit.KindOutcome, 0
	log := []*audit.Record{intent, &outcome, source.Issue(1)}
	must(t, s, logName, 0, log...)
	for _, v := range outcome.Vouchers {
		for _, q := range []audit.Query{
			{Code: v.Code},
			{Cuit: outcome.Cuit, PtoVta: outcome.PtoVta, CbteTipo: outcome.CbteTipo, Number: v.CbteHasta},
		} {
			if compare(t, s, log, q) != 1 {
				t.Fatalf("search %+v: the lot was not found", q)
			}
		}
	}
}

func searchStops(t *testing.T, open Open) {
	s := open(t)
	defer closeStore(t, s)
	all := fill(t, s, 300, NewSource(15).Next)
	if n := compare(t, s, all, audit.Query{Limit: 7}); n != 7 {
		t.Errorf("limit 7: %d records", n)
	}
	seen := 0
	for _, err := range s.Search(t.Context(), audit.Query{Log: logName}) {
		if err != nil {
			t.Fatal(err)
		}
		if seen++; seen == 3 {
			break
		}
	}
	// The store is as usable as before: nothing is held by the search that ended.
	must(t, s, logName, uint64(len(all)), NewSource(16).Issue(1))
	cancelled := errors.New("nothing found")
	for _, err := range s.Search(cancelledContext(t), audit.Query{Log: logName}) {
		cancelled = err
	}
	if cancelled == nil {
		t.Error("search with a context that ended: no error")
	}
}

func searchSeesTheLatest(t *testing.T, open Open) {
	s := open(t)
	defer closeStore(t, s)
	source := NewSource(17)
	for i := range uint64(50) {
		r := source.Issue(1)
		source.Answer(r)
		must(t, s, logName, i, r)
		found := 0
		for got, err := range s.Search(t.Context(), audit.Query{Log: logName, Code: r.Vouchers[0].Code}) {
			if err != nil || got.Index != i {
				t.Fatalf("record %d: found %v, %v", i, got, err)
			}
			found++
		}
		if found != 1 {
			t.Fatalf("record %d is committed and found %d times", i, found)
		}
	}
}
