package totalscmd_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/caddymodule/internal/closing"
	totalscmd "github.com/fielato/fielato/caddymodule/internal/command/totals"
	"github.com/fielato/fielato/wsfev1"
)

// month is the month in which a gateway has issued seven invoices of 121.00, one of them twice asked for, and has
// refused one.
func month(t *testing.T) (s *caddytest.Site, name string) {
	t.Helper()
	s = caddytest.NewSite(t)
	s.Load(s.Config(s.WithAudit(), caddytest.WithBackend(t)))
	for _, body := range []string{caddytest.LotText(0, 1, 5), caddytest.LotText(0, 6, 1), caddytest.LotText(0, 6, 1), caddytest.LotText(0, 7, 1)} {
		if got := s.Post("FECAESolicitar", body); got.Status != 200 {
			t.Fatalf("%d %s", got.Status, got.Body)
		}
	}
	if got := s.Post("FECAESolicitar", strings.Replace(caddytest.LotText(0, 8, 1), `"ImpTotal":121.00`, `"ImpTotal":122.00`, 1)); got.Header.Get("Wsfev1-Outcome") == "approved" {
		t.Fatalf("a wrong total: %v", got.Header)
	}
	return s, time.Now().In(wsfev1.Argentina).Format("2006-01")
}

func totals(s *caddytest.Site, arguments ...string) (out, errs string, err error) {
	return caddytest.RunCommand(append(append([]string{"audit", "totals"}, arguments...), "--store", "sqlite:"+s.Store)...)
}

// TestTotalsOfWhatAGatewayHasIssued, in all forms.
func TestTotalsOfWhatAGatewayHasIssued(t *testing.T) {
	s, name := month(t)
	cuit := caddytest.IssuerOf(0).String()
	out, errs, err := totals(s, "--month", name)
	want := name + "  issuer " + cuit + "  builtin  PES\n" +
		"  TYPE  POS  COUNT  FIRST  LAST     NET     VAT   TOTAL\n" +
		"     6    1      7      1     7  700.00  147.00  847.00\n" +
		"   sum           7               700.00  147.00  847.00\n" +
		"  at 21 %: net 700.00, VAT 147.00\n"
	if err != nil || errs != "" || out != want {
		t.Errorf("%v %s\n%s\nwant\n%s", err, errs, out, want)
	}
	out, _, err = totals(s, "--month", name, "--by", "authorised", "--format", "csv")
	if err != nil || !strings.Contains(out, "\n"+name+",builtin,"+cuit+",6,1,PES,7,1,7,700.00,0.00,0.00,0.00,147.00,847.00,0,0,0.00,0\n") {
		t.Errorf("%v\n%s", err, out)
	}
	out, _, err = totals(s, "--month", name, "--format", "json", "--cuit", cuit)
	if err != nil || !strings.Contains(out, `"total":847.00`) || !strings.Contains(out, `"rates":[{"id":5,"net":700.00,"vat":147.00}]`) {
		t.Errorf("%v\n%s", err, out)
	}
	if out, errs, err = totals(s, "--month", "2019-02"); err != nil || out != "" || errs != "no invoice of 2019-02\n" {
		t.Errorf("%v %q %q", err, out, errs)
	}
}

// TestInvoicesAreWrittenOneByOne into a new file that others cannot read.
func TestInvoicesAreWrittenOneByOne(t *testing.T) {
	s, name := month(t)
	file := filepath.Join(t.TempDir(), "invoices.csv")
	if _, errs, err := totals(s, "--month", name, "--invoices", file); err != nil {
		t.Fatal(err, errs)
	}
	text, err := os.ReadFile(file)
	info, _ := os.Stat(file)
	lines := strings.Split(strings.TrimSuffix(string(text), "\r\n"), "\r\n")
	if err != nil || len(lines) != 8 || info.Mode().Perm() != 0o600 || !strings.HasPrefix(lines[0], "\ufeffFecha;Tipo;") {
		t.Fatalf("%v, mode %s\n%s", err, info.Mode(), text)
	}
	first := strings.Split(lines[1], ";")
	today := time.Now().In(wsfev1.Argentina).Format("02/01/2006")
	if first[0] != today && first[0] != time.Now().Add(-time.Minute).In(wsfev1.Argentina).Format("02/01/2006") ||
		first[4] != "1" || len(first[6]) != 14 || !strings.Contains(lines[1], ";100,00;0;0;0;21,00;121,00;") {
		t.Errorf("the first invoice is %q", first)
	}
	if _, _, err := totals(s, "--month", name, "--invoices", file); err == nil || !strings.Contains(err.Error(), "is there already: name a new file") {
		t.Errorf("%v", err)
	}
}

// TestNoHalfATableIsLeft: a part of a month would look like all of it.
func TestNoHalfATableIsLeft(t *testing.T) {
	file := filepath.Join(t.TempDir(), "invoices.csv")
	failed := errors.New("the trail cannot be read")
	err := totalscmd.WithTable(file, func(table *closing.Table) error { return errors.Join(table.Remark("the first invoice"), failed) })
	if _, left := os.Stat(file); !errors.Is(err, failed) || !errors.Is(left, os.ErrNotExist) {
		t.Errorf("%v, %v", err, left)
	}
}

// TestATableIsCompared with the invoices of the trail: what one of them lacks or has otherwise is named, with its
// place in both.
func TestATableIsCompared(t *testing.T) {
	s, name := month(t)
	cuit := caddytest.IssuerOf(0).String()
	book := filepath.Join(t.TempDir(), "book.csv")
	write := func(lines string) {
		if err := os.WriteFile(book, []byte("Tipo,Punto de Venta,Número Desde,Imp. Total\n"+lines), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("6,1,1,121.00\n")
	// The built-in service's invoices are no invoices: none is compared.
	out, _, err := totals(s, "--month", name, "--cuit", cuit, "--compare", book)
	if err == nil || err.Error() != "the trail and the table differ" || !strings.HasSuffix(out, "\n0 alike, 0 differ, 0 are missing in the table, 1 are missing in the trail\n7 of services for tests were not compared\n"+
		"  6-1-1: not in the trail of the month; in the table at line 2\n") {
		t.Errorf("%v\n%s", err, out)
	}
	write("6,1,one,121.00\n")
	if _, _, err = totals(s, "--month", name, "--cuit", cuit, "--compare", book); err == nil || !strings.Contains(err.Error(), "book.csv: line 2, column 3 (Número Desde), ") {
		t.Errorf("%v", err)
	}
}

// TestOnlyProductionIsCompared, and damaged records end with an error behind the sums.
func TestOnlyProductionIsCompared(t *testing.T) {
	var records []*audit.Record
	for number, service := range []audit.Environment{audit.EnvironmentProduction, audit.EnvironmentTesting, audit.EnvironmentProduction} {
		n := int64(number + 1)
		intent := audit.Record{
			Kind: audit.KindIntent, ID: fmt.Sprint(n), Time: time.Date(2026, 10, 15, 12, number, 0, 0, time.UTC), Operation: "FECAESolicitar", Cuit: 20111111112, PtoVta: 1, CbteTipo: 6,
			Environment: service, Decision: audit.DecisionForward, Certainty: audit.Unknown, Vouchers: []audit.Voucher{{CbteDesde: n, CbteHasta: n}},
			Request: fmt.Appendf(nil, `{"FeCAEReq":{"FeDetReq":{"FECAEDetRequest":[{"CbteDesde":%d,"CbteHasta":%[1]d,"CbteFch":"20261015","ImpTotal":121}]}}}`, n),
		}
		outcome := intent
		outcome.Kind, outcome.Intent, outcome.Request = audit.KindOutcome, uint64(len(records)), nil
		outcome.Outcome, outcome.Certainty, outcome.Resultado = audit.OutcomeApproved, audit.Answered, wsfev1.Aprobado
		outcome.Vouchers = []audit.Voucher{{CbteDesde: n, CbteHasta: n, Code: "76000000000001", Resultado: wsfev1.Aprobado}}
		records = append(records, &intent, &outcome)
	}
	s := caddytest.KeptTrail(t, records...)
	book := filepath.Join(t.TempDir(), "book.csv")
	if err := os.WriteFile(book, []byte("Tipo,Punto de Venta,Número Desde,Imp. Total\n6,1,1,121\n6,1,3,121\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	out, _, err := totals(s, "--month", "2026-10", "--cuit", "20111111112", "--compare", book)
	if err != nil || !strings.HasSuffix(out, "\n2 alike, 0 differ, 0 are missing in the table, 0 are missing in the trail\n1 of services for tests were not compared\n") {
		t.Errorf("%v\n%s", err, out)
	}
	caddytest.Tamper(t, s.Store, "UPDATE segments SET summaries = x'ff' WHERE id = (1 << 40 | 5)")
	out, _, err = totals(s, "--month", "2026-10", "--format", "json")
	if err == nil || !strings.Contains(err.Error(), "not in the sums: invoices of 1 damaged records, which cannot be read") || !strings.Contains(out, `"total":121`) || !strings.Contains(out, `"damaged_records":1}`) {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestWrongUseOfTotals says what to write.
func TestWrongUseOfTotals(t *testing.T) {
	s := caddytest.NewSite(t)
	for arguments, want := range map[string]string{
		"":                             "--month is missing: give year and month, such as 2026-10",
		"--month 10/2026":              `--month: "10/2026": write year and month, such as 2026-10`,
		"--month 2026-10 --compare x":  "--compare needs --cuit",
		"--month 2026-10 --by payment": "--by",
	} {
		if _, _, err := totals(s, strings.Fields(arguments)...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", arguments, err)
		}
	}
}
