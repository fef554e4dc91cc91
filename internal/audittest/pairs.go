package audittest

import (
	"testing"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/wsfev1"
)

// pair is an intent and an outcome that repeats nothing of it.
func pair() (intent, outcome *audit.Record) {
	base := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	intent = &audit.Record{
		Kind: audit.KindIntent, Time: base, Operation: "FECAESolicitar", Cuit: 20000000001, PtoVta: 1, CbteTipo: 6,
		Vouchers: []audit.Voucher{{CbteDesde: 3, CbteHasta: 3}},
	}
	outcome = &audit.Record{
		Kind: audit.KindOutcome, Time: base.Add(time.Hour), Outcome: "recovered",
		Vouchers: []audit.Voucher{{Code: "12345678901234"}},
	}
	return intent, outcome
}

func intentUntilOutcome(t *testing.T, open Open) {
	s := open(t)
	defer closeStore(t, s)
	intent, outcome := pair()
	must(t, s, logName, 0, intent)
	log := []*audit.Record{intent}
	q := audit.Query{Log: logName, Cuit: intent.Cuit}
	if compare(t, s, log, q) != 1 {
		t.Fatal("the intent is not found")
	}
	must(t, s, logName, 1, outcome)
	if compare(t, s, append(log, outcome), q) != 1 {
		t.Fatal("intent and outcome are not found as one")
	}
	for r := range s.Search(t.Context(), q) {
		if r.Index != 1 {
			t.Fatalf("record %d is found, want the outcome", r.Index)
		}
	}
}

func outcomeByItsIntent(t *testing.T, open Open) {
	s := open(t)
	intent, outcome := pair()
	must(t, s, logName, 0, intent)
	log := []*audit.Record{intent}
	// So much in between that an index cannot have both at the same place.
	source := NewSource(13)
	for len(log) < 4500 {
		first := uint64(len(log))
		for range 500 {
			r := source.Issue(1)
			r.Cuit = wsfev1.CUIT(30000000007)
			log = append(log, r)
		}
		must(t, s, logName, first, log[first:]...)
	}
	must(t, s, logName, uint64(len(log)), outcome)
	log = append(log, outcome)
	log = append(log, fillFrom(t, s, uint64(len(log)), 4200)...)
	s = reopen(t, s, open)
	defer closeStore(t, s)
	for name, q := range map[string]audit.Query{
		"the intent's voucher":             {Cuit: 20000000001, PtoVta: 1, CbteTipo: 6, Number: 3},
		"the outcome's code":               {Code: "12345678901234"},
		"one of each":                      {Cuit: 20000000001, Number: 3, Code: "12345678901234", Outcome: "recovered"},
		"the intent's time":                {Until: intent.Time.Add(time.Second), Code: "12345678901234"},
		"the outcome's time and operation": {Since: outcome.Time, Operation: "FECAESolicitar", Cuit: 20000000001},
	} {
		if n := compare(t, s, log, q); n != 1 {
			t.Errorf("%s: %d records, want the outcome", name, n)
		}
	}
}

func fillFrom(t *testing.T, s audit.Store, first uint64, n int) []*audit.Record {
	t.Helper()
	source := NewSource(14)
	var more []*audit.Record
	for range n {
		r := source.Issue(1)
		r.Cuit = wsfev1.CUIT(30000000007)
		more = append(more, r)
	}
	must(t, s, logName, first, more...)
	return more
}

// openIntentsAmongMany: some are answered by the next record, some thousands of
// records later, some never, wherever an index of the store may begin and end.
func openIntentsAmongMany(t *testing.T, open Open) {
	s := open(t)
	source := NewSource(19)
	var log []*audit.Record
	var waiting []uint64
	for size := 1; len(log) < 9000; size = size*3%197 + 1 {
		first := len(log)
		for range size {
			r := source.Issue(1)
			r.Kind = audit.KindIntent
			index := uint64(len(log))
			switch {
			case index%5 < 2: // as it is
			case len(waiting) > 0 && (index%5 < 4 || waiting[0]+4400 < index):
				r.Kind, r.Intent, r.Request = audit.KindOutcome, waiting[len(waiting)-1], nil
				if index%3 == 0 || waiting[0]+4400 < index {
					r.Intent, waiting = waiting[0], waiting[1:]
				} else {
					waiting = waiting[:len(waiting)-1]
				}
			default:
				r.Kind = audit.KindExchange
			}
			if r.Kind == audit.KindIntent && index%601 != 0 { // those are never answered
				waiting = append(waiting, index)
			}
			log = append(log, r)
		}
		must(t, s, logName, uint64(first), log[first:]...)
	}
	queries := []audit.Query{
		{Kind: audit.KindIntent},
		{Kind: audit.KindIntent, Limit: 3},
		{Kind: audit.KindIntent, Cuit: log[0].Cuit},
		{Kind: audit.KindIntent, Operation: "none"},
		{Kind: audit.KindIntent, Certainty: audit.Answered},
		{Kind: audit.KindIntent, Until: log[4000].Time},
		{Cuit: log[601].Cuit, Before: 4000},
		{ID: log[1202].ID},
	}
	for _, before := range []uint64{1, 2, 603, 4095, 4096, 4097, 5000, 8999} {
		queries = append(queries, audit.Query{Kind: audit.KindIntent, Before: before}, audit.Query{Before: before, Limit: 700})
	}
	for range 2 {
		for _, q := range queries {
			compare(t, s, log, q)
		}
		s = reopen(t, s, open)
	}
	closeStore(t, s)
}
