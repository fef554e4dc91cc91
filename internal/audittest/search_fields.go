package audittest

import (
	"testing"
	"time"

	"github.com/fielato/fielato/audit"
)

func searchByEachField(t *testing.T, open Open) {
	s := open(t)
	defer closeStore(t, s)
	base := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	one := &audit.Record{
		Kind: audit.KindExchange, Time: base, Operation: "FECAESolicitar", Cuit: 20000000001, PtoVta: 1, CbteTipo: 6,
		Outcome: "approved", Vouchers: []audit.Voucher{{CbteDesde: 10, CbteHasta: 1_000_000, Code: "12345678901234"}},
	}
	other := &audit.Record{
		Kind: audit.KindExchange, Time: base.Add(time.Second), Operation: "FEDummy", Cuit: 27000000006, PtoVta: 2,
		CbteTipo: 1, Outcome: "rejected", Vouchers: []audit.Voucher{{CbteDesde: 5, CbteHasta: 5, Code: "no digits"}, {CbteHasta: 20}, {CbteHasta: 99_999_999}},
	}
	must(t, s, logName, 0, one, other)
	for name, q := range map[string]audit.Query{
		"cuit": {Cuit: 20000000001}, "pto_vta": {PtoVta: 1}, "cbte_tipo": {CbteTipo: 6},
		"number alone": {Number: 10}, "number within": {Number: 500_000},
		"series and number": {Cuit: 20000000001, PtoVta: 1, CbteTipo: 6, Number: 999_999},
		"code":              {Code: "12345678901234"}, "operation": {Operation: "FECAESolicitar"},
		"outcome": {Outcome: "approved"}, "until, which is not included": {Until: base.Add(time.Second)},
		"all": {
			Cuit: 20000000001, PtoVta: 1, CbteTipo: 6, Number: 10, Code: "12345678901234", Operation: "FECAESolicitar",
			Outcome: "approved", Since: base, Until: base.Add(time.Microsecond), Limit: 2,
		},
	} {
		if n := compare(t, s, []*audit.Record{one, other}, q); n != 1 {
			t.Errorf("%s: %d records, want one", name, n)
		}
	}
	for name, q := range map[string]audit.Query{
		"number of the other series": {Cuit: 20000000001, Number: 5}, "number below": {Cuit: 20000000001, Number: 9},
		"number of a range without its first": {PtoVta: 2, Number: 7},
		"number of a wide one":                {Cuit: 27000000006, PtoVta: 2, CbteTipo: 1, Number: 70},
		"number above":                        {Cuit: 20000000001, PtoVta: 1, CbteTipo: 6, Number: 1_000_001},
		"code in part":                        {Code: "1234567890123"}, "cuit and the other's outcome": {Cuit: 20000000001, Outcome: "rejected"},
		"later":       {Since: base.Add(2 * time.Second)},
		"before both": {Until: base}, "another log": {Log: "gateway-2"},
	} {
		if query := q; query.Log == "" {
			query.Log = logName
			q = query
		}
		for r := range s.Search(t.Context(), q) {
			t.Errorf("%s: found record %d", name, r.Index)
		}
	}
	if n := compare(t, s, []*audit.Record{one, other}, audit.Query{Since: base}); n != 2 {
		t.Errorf("since, which is included: %d records, want 2", n)
	}
}

// searchByOwnFields looks at two pairs of records that differ in everything: each field
// of a query finds one of them, by itself or together with all others.
func searchByOwnFields(t *testing.T, open Open) {
	s := open(t)
	defer closeStore(t, s)
	base := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	intent := &audit.Record{
		Kind: audit.KindIntent, ID: "exchange-a", Time: base, Node: "left", ClientAddress: "192.0.2.1", ClientIdentity: "ana",
		Operation: "FECAESolicitar", Decision: "forward", Certainty: audit.Unknown, Findings: []audit.Finding{{Code: "10217"}},
		TraceID: [16]byte{15: 7}, ClientTable: "left/0", ClientRow: "shop",
	}
	outcome := &audit.Record{
		Kind: audit.KindOutcome, Intent: 0, Time: base, Duration: 3 * time.Second, Decision: "forward", Resultado: "R",
		Outcome: "rejected", Certainty: audit.Answered, Status: 200, Upstream: "wsfev1:443",
		Answer: []byte(`{"Errors":{"Err":[{"Code":10016,"Msg":"numero"},{"Code":501,"Msg":"base"}]}}`),
	}
	other := &audit.Record{
		Kind: audit.KindExchange, ID: "exchange-b", Time: base, Duration: time.Second, Node: "right",
		ClientAddress: "2001:db8::1", ClientIdentity: "berta", Operation: "FEDummy", Decision: "refuse",
		Outcome: "refused", Certainty: audit.NotSent, Status: 503, Findings: []audit.Finding{{Code: "10048"}},
		TraceID: [16]byte{7}, ClientTable: "right/0", ClientRow: "erp",
	}
	must(t, s, logName, 0, intent, outcome, other)
	log := []*audit.Record{intent, outcome, other}
	for name, q := range map[string]audit.Query{
		"id": {ID: "exchange-a"}, "node": {Node: "left"}, "address": {ClientAddress: "192.0.2.1"},
		"identity": {ClientIdentity: "ana"}, "row": {ClientRow: "shop"}, "the other's row": {ClientRow: "erp"},
		"kind": {Kind: audit.KindOutcome}, "resultado": {Resultado: "R"},
		"decision": {Decision: "forward"}, "upstream": {Upstream: "wsfev1:443"}, "certainty": {Certainty: audit.Answered},
		"status": {Status: 200}, "duration, which is included": {MinDuration: 3 * time.Second},
		"finding of the gateway": {Finding: "10217"}, "finding of the service": {Finding: "10016"},
		"the second of them": {Finding: "501"}, "trace": {TraceID: [16]byte{15: 7}}, "the other's trace": {TraceID: [16]byte{7}}, "no exchanges": {NoExchanges: true},
		"the other's id": {ID: "exchange-b"}, "the other's identity": {ClientIdentity: "berta"},
		"the other's finding": {Finding: "10048"}, "the other's kind": {Kind: audit.KindExchange},
		"the other's status": {Status: 503}, "the other's certainty": {Certainty: audit.NotSent},
		"all": {
			ID: "exchange-a", Node: "left", ClientAddress: "192.0.2.1", ClientIdentity: "ana", Kind: audit.KindOutcome,
			Resultado: "R", Decision: "forward", Upstream: "wsfev1:443", Certainty: audit.Answered, Status: 200,
			MinDuration: time.Second, Finding: "501", Operation: "FECAESolicitar", Outcome: "rejected", TraceID: [16]byte{15: 7},
			ClientRow: "shop",
		},
	} {
		if n := compare(t, s, log, q); n != 1 {
			t.Errorf("%s: %d records, want one", name, n)
		}
	}
	for name, q := range map[string]audit.Query{
		"the intent's certainty": {Certainty: audit.Unknown}, "an intent that is answered": {Kind: audit.KindIntent},
		"a longer duration": {MinDuration: 4 * time.Second}, "a part of an id": {ID: "exchange"},
		"an identity and the other's finding": {ClientIdentity: "ana", Finding: "10048"}, "access": {Kind: audit.KindAccess},
		"a part of a row": {ClientRow: "sho"}, "a row and the other's identity": {ClientRow: "shop", ClientIdentity: "berta"},
		"a finding that only a message names": {Finding: "numero"}, "a trace of nobody": {TraceID: [16]byte{1}},
	} {
		if n := compare(t, s, log, q); n != 0 {
			t.Errorf("%s: %d records, want none", name, n)
		}
	}
}

// readingsByIdentity: a reading of the console is found by the identity alone, also one that an earlier build has
// recorded with the way in the identity.
func readingsByIdentity(t *testing.T, open Open) {
	s := open(t)
	defer closeStore(t, s)
	base := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	reading := func(id, who string, way audit.Way) *audit.Record {
		return &audit.Record{Kind: audit.KindAccess, ID: id, Time: base, ClientIdentity: who, Way: way, Detail: "console today"}
	}
	log := []*audit.Record{
		reading("1", "contadora (console)", ""), reading("2", "contadora", audit.WayConsole), reading("3", "contadora", ""), reading("4", "otra (console)", ""),
		reading("5", "contadora (console)", audit.WayConsole), // somebody with an odd name
	}
	must(t, s, logName, 0, log...)
	for who, want := range map[string]int{"contadora": 3, "contadora (console)": 2, "otra": 1, "contador": 0} {
		if n := compare(t, s, log, audit.Query{Kind: audit.KindAccess, ClientIdentity: who}); n != want {
			t.Errorf("%s: %d readings, want %d", who, n, want)
		}
	}
}

func accessWhenAsked(t *testing.T, open Open) {
	s := open(t)
	defer closeStore(t, s)
	exchange := NewSource(18).Issue(1)
	access := &audit.Record{
		Kind: audit.KindAccess, ID: "read", Time: exchange.Time, ClientIdentity: exchange.ClientIdentity, Detail: "audit stats",
	}
	must(t, s, logName, 0, exchange, access)
	log := []*audit.Record{exchange, access}
	for name, test := range map[string]struct {
		query audit.Query
		want  uint64
	}{
		"nothing is asked":      {audit.Query{}, 0},
		"time":                  {audit.Query{Since: exchange.Time}, 0},
		"access":                {audit.Query{Kind: audit.KindAccess}, 1},
		"access, and its time":  {audit.Query{Kind: audit.KindAccess, Since: access.Time, ID: "read"}, 1},
		"the kind of exchanges": {audit.Query{Kind: audit.KindExchange}, 0},
	} {
		if n := compare(t, s, log, test.query); n != 1 {
			t.Errorf("%s: %d records, want one", name, n)
		}
		test.query.Log = logName
		for r := range s.Search(t.Context(), test.query) {
			if r.Index != test.want {
				t.Errorf("%s: record %d, want %d", name, r.Index, test.want)
			}
		}
	}
	if n := compare(t, s, log, audit.Query{ID: "read"}); n != 0 {
		t.Errorf("access by its id alone: %d records", n)
	}
}
