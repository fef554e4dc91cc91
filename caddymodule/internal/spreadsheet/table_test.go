package spreadsheet_test

import (
	"strings"
	"testing"

	"github.com/fielato/fielato/caddymodule/internal/spreadsheet"
	"github.com/fielato/fielato/wsfev1"
)

// TestTheZerosOfACurrencyStay: Excel reads 060 as 60, and 012 as 12.
func TestTheZerosOfACurrencyStay(t *testing.T) {
	for code, want := range map[string]string{"PES": "PES", "": "", "060": "060 (Euro)", "012": "012 (Real)", "077": "077 (moneda)", "=1": "'=1"} {
		if got := spreadsheet.Currency(code); got != want {
			t.Errorf("%q is %q, want %q", code, got, want)
		}
	}
}

// TestATableIsOneForExcelInArgentina, and carries no formula out.
func TestATableIsOneForExcelInArgentina(t *testing.T) {
	amount, err := wsfev1.AmountFromJSON([]byte("-1234.50"))
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	table, err := spreadsheet.New(&text)
	if err != nil {
		t.Fatal(err)
	}
	err = table.Write("a;b", spreadsheet.Text("=cmd()"), spreadsheet.Text(" ＠x\r\n"), spreadsheet.Amount(amount), spreadsheet.Amount(wsfev1.Amount{}))
	if err != nil {
		t.Fatal(err)
	}
	if err := table.Flush(); err != nil {
		t.Fatal(err)
	}
	if want := "\ufeff\"a;b\";'=cmd();' ＠x\\u000d\\u000a;-1234,50;\r\n"; text.String() != want {
		t.Errorf("%q\nwant %q", text.String(), want)
	}
}
