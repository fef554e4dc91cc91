package export_test

import (
	"encoding/csv"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/audittest"
)

// TestInvoicesOfAnExport: there is a row for each invoice of each record, an outcome's row
// has the data of its intent, and no text is one that a spreadsheet would run.
func TestInvoicesOfAnExport(t *testing.T) {
	g := newGrown(t)
	source := audittest.NewSource(5)
	intent := source.Issue(2)
	intent.Kind = audit.KindIntent
	outcome := *intent
	outcome.Vouchers = slices.Clone(intent.Vouchers)
	source.Answer(&outcome)
	outcome.Kind, outcome.Intent, outcome.Request = audit.KindOutcome, 0, nil
	outcome.Vouchers[1].Code, outcome.Outcome = `=cmd|' /C calc'!A0`, "@sum"
	g.Grow(0, intent, &outcome, &audit.Record{Kind: audit.KindExchange, Operation: "FEDummy"})
	path := t.TempDir()
	manifest := g.must(path, false)
	rows, err := csv.NewReader(strings.NewReader(contents(t, path)[manifest.Files[0].Invoices.Name])).ReadAll()
	if err != nil || len(rows) != 5 || manifest.Files[0].Invoices.Rows != 4 {
		t.Fatalf("%d rows, %v: %v", manifest.Files[0].Invoices.Rows, err, rows)
	}
	column := func(row int, name string) string { return rows[row][slices.Index(rows[0], name)] }
	for i, want := range []map[string]string{
		{"kind": "intent", "index": "0", "intent": "", "code": ""},
		{"kind": "intent", "index": "0", "intent": "", "code": ""},
		{"kind": "outcome", "index": "1", "intent": "0", "code": outcome.Vouchers[0].Code},
		{"kind": "outcome", "index": "1", "intent": "0", "code": "'" + outcome.Vouchers[1].Code, "outcome": "'@sum"},
	} {
		want["time"], want["cbte_fch"], want["mon_id"] = "2026-01-02 09:00:00.000", "20260102", "PES"
		want["cuit"], want["operation"] = intent.Cuit.String(), "FECAESolicitar"
		want["cbte_desde"] = fmt.Sprint(intent.Vouchers[i%2].CbteDesde)
		for name, value := range want {
			if got := column(i+1, name); got != value {
				t.Errorf("row %d: %s is %q, want %q", i+1, name, got, value)
			}
		}
		total := column(i+1, "imp_total")
		if !strings.Contains(string(intent.Request), `"ImpTotal":`+total+",") || total != column(i%2+1, "imp_total") {
			t.Errorf("row %d: imp_total %q", i+1, total)
		}
	}
}
