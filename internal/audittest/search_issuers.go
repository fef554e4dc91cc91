package audittest

import (
	"testing"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/wsfev1"
)

// manyIssuers are issuers without a record, as many as a reader may have.
func manyIssuers(more ...wsfev1.CUIT) []wsfev1.CUIT {
	for i := range wsfev1.CUIT(100) {
		more = append(more, 33000000000+i)
	}
	return more
}

// boundedBy returns queries of somebody who may see the records of a few issuers.
func boundedBy(r *audit.Record) []audit.Query {
	own := []wsfev1.CUIT{r.Cuit, 20000000001}
	return []audit.Query{
		{Cuits: own, Limit: 30},
		{Cuits: manyIssuers(r.Cuit), Outcome: r.Outcome, Limit: 20},
		{Cuits: manyIssuers()},
		{Cuits: own, Cuit: r.Cuit, Before: r.Index + 1, Limit: 5},
		{Cuits: own[1:], Cuit: r.Cuit, PtoVta: r.PtoVta, CbteTipo: r.CbteTipo},
		{Cuits: own, ID: r.ID},
		{Cuits: own[1:], ID: r.ID},
		{Cuits: own[1:], Kind: audit.KindIntent},
		{Cuits: own, Since: r.Time.Add(-time.Hour), Until: r.Time, From: r.Index / 2},
		{Cuits: own, Kind: audit.KindAccess},
	}
}

// searchOfIssuers finds the records of the issuers that the query is bounded to, and nothing about any other.
func searchOfIssuers(t *testing.T, open Open) {
	s := open(t)
	defer closeStore(t, s)
	const one, two, three = 20111111112, 30500010912, 27000000006
	now := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	record := func(kind audit.Kind, id string, cuit wsfev1.CUIT, intent uint64) *audit.Record {
		r := &audit.Record{Kind: kind, ID: id, Time: now, Operation: "FECAESolicitar", Cuit: cuit, Intent: intent}
		if cuit != 0 && (kind == audit.KindIntent || kind == audit.KindExchange) {
			r.PtoVta, r.CbteTipo, r.Vouchers = 1, 6, []audit.Voucher{{CbteDesde: 7, CbteHasta: 7}}
		}
		return r
	}
	log := []*audit.Record{
		record(audit.KindIntent, "a", one, 0),
		record(audit.KindIntent, "b", two, 0),
		record(audit.KindOutcome, "a", 0, 0), // found by its intent
		record(audit.KindOutcome, "b", 0, 1),
		record(audit.KindExchange, "c", 0, 0), // a request that named no issuer
		record(audit.KindIntent, "d", one, 0),
		record(audit.KindOutcome, "d", two, 5), // an outcome that contradicts its intent
		record(audit.KindIntent, "e", two, 0),
		{Kind: audit.KindAccess, ID: "f", Time: now, Cuit: one, Detail: "audit hold add"},
		{Kind: audit.KindOutage, ID: "g", Time: now, Cuit: one, Outcome: "began"},
		record(audit.KindExchange, "h", three, 0),
	}
	must(t, s, logName, 0, log...)
	for name, test := range map[string]struct {
		query audit.Query
		want  int
	}{
		"one":                       {audit.Query{Cuits: []wsfev1.CUIT{one}}, 1},
		"two":                       {audit.Query{Cuits: []wsfev1.CUIT{two}}, 3},
		"both":                      {audit.Query{Cuits: []wsfev1.CUIT{one, two}}, 4},
		"all":                       {audit.Query{Cuits: manyIssuers(one, two, three)}, 5},
		"none of them":              {audit.Query{Cuits: manyIssuers()}, 0},
		"no issuer":                 {audit.Query{Cuits: []wsfev1.CUIT{0}}, 0},
		"no bound":                  {audit.Query{}, 6},
		"another's id":              {audit.Query{Cuits: []wsfev1.CUIT{one}, ID: "b"}, 0},
		"an own id":                 {audit.Query{Cuits: []wsfev1.CUIT{one}, ID: "a"}, 1},
		"another's invoice":         {audit.Query{Cuits: []wsfev1.CUIT{one}, Cuit: two, PtoVta: 1, CbteTipo: 6, Number: 7}, 0},
		"an own invoice":            {audit.Query{Cuits: []wsfev1.CUIT{one}, Cuit: one, PtoVta: 1, CbteTipo: 6, Number: 7}, 1},
		"an invoice without issuer": {audit.Query{Cuits: []wsfev1.CUIT{three}, PtoVta: 1, Number: 7}, 1},
		"open intents":              {audit.Query{Cuits: []wsfev1.CUIT{one}, Kind: audit.KindIntent}, 0},
		"own open intents":          {audit.Query{Cuits: []wsfev1.CUIT{two}, Kind: audit.KindIntent}, 1},
		"accesses":                  {audit.Query{Cuits: []wsfev1.CUIT{one}, Kind: audit.KindAccess}, 0},
		"outages":                   {audit.Query{Cuits: []wsfev1.CUIT{one}, Kind: audit.KindOutage}, 0},
		"the newest":                {audit.Query{Cuits: []wsfev1.CUIT{one, two}, Limit: 1}, 1},
	} {
		if n := compare(t, s, log, test.query); n != test.want {
			t.Errorf("%s: %d records, want %d", name, n, test.want)
		}
	}
}

// searchOfManyIssuers finds the records of a hundred issuers. None of them has many records in one part of an index,
// and together they do.
func searchOfManyIssuers(t *testing.T, open Open) {
	s := open(t)
	defer closeStore(t, s)
	source := NewSource(21)
	all := fill(t, s, 2300, func(index uint64) *audit.Record {
		r := source.Next(index)
		if r.Kind == audit.KindExchange {
			r.Cuit = 33000000000 + wsfev1.CUIT(index%300)
		}
		return r
	})
	some := all[len(all)/2]
	for _, query := range []audit.Query{
		{}, {Limit: 3}, {Operation: some.Operation}, {ID: some.ID}, {Before: some.Index, Limit: 40}, {Kind: audit.KindExchange}, {Finding: "shape.required"}, {Cuit: 33000000042},
	} {
		query.Cuits = manyIssuers()
		compare(t, s, all, query)
		query.Cuits = manyIssuers(20000000001)[:40]
		compare(t, s, all, query)
	}
}
