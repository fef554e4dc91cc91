package export_test

import (
	"encoding/csv"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/audit/export"
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

// TestPlainRequestsNeedNoDecoder: the requests of the suite are plain.
func TestPlainRequestsNeedNoDecoder(t *testing.T) {
	source := audittest.NewSource(6)
	for range 200 {
		request := source.Issue(3).Request
		got, ok := export.PlainDetails(request)
		if want := export.DecodedDetails(request); !ok || len(got) == 0 || !slices.Equal(got, want) {
			t.Fatalf("%s\n got %q, %t\nwant %q", request, got, ok, want)
		}
	}
}

// FuzzInvoiceDetails: what takes the shorter way has the same details.
func FuzzInvoiceDetails(f *testing.F) {
	f.Add(audittest.NewSource(6).Issue(2).Request)
	const whole = `{"Auth":{"Cuit":1},"FeCAEReq":{"FeCabReq":{"CantReg":1},"FeDetReq":{"FECAEDetRequest":[%s]}}}`
	for _, invoice := range []string{
		`{"CbteFch":"20260102","ImpTotal":1.50,"MonId":"PES"}`, ` { } , {"ImpTotal" : -0.0e+1 }`, `1`, `{"ImpTotal":01}`, `{"ImpTotal":"1","MonId":1}`,
		`{"MonId":"\u0050"}`, `{"MonId":"ñ","CbteFch":null}`, `{"CbteFch":"","ImpTotal":[]}`, `{"MonId":"` + "\xff" + `"}`, `{"MonId":"` + "\n" + `"}`, `{"Iva":[{"Id":5},[true,false]]}`,
		`{"ImpTotal":1,"ImpTotal":-2E3,"ImpTotal":{}}`, `{"a":[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]}`, `{"ImpTotal":1.}`, `{},`,
		`{"MonId":"PES"}]},"FeDetReq":{"FECAEADetRequest":[{}`, `{"MonId":"PES"}]},"FeDetReq":{},"x":{"y":[`, `{"MonId":"PES"}]}},"FeCAEARegInfReq":{"x":[{"y":[`,
	} {
		f.Add(fmt.Appendf(nil, whole, invoice))
	}
	f.Add([]byte(`{"FeCAEReq":{"FeDetReq":{"FECAEDetRequest":[{"MonId":"PES"}]}}} x`))
	f.Add([]byte(`{"FeCAEReq":[]}`))
	f.Fuzz(func(t *testing.T, request []byte) {
		got, ok := export.PlainDetails(request)
		if want := export.DecodedDetails(request); ok && !slices.Equal(got, want) {
			t.Errorf("%s\n got %q\nwant %q", request, got, want)
		}
		if ok && !jsontext.Value(request).IsValid(jsontext.AllowDuplicateNames(true)) {
			t.Errorf("no JSON: %s", request)
		}
	})
}
