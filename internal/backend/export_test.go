package backend_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"

	"github.com/fielato/fielato/internal/backend"
	"github.com/fielato/fielato/internal/backend/sqlite"
	"github.com/fielato/fielato/wsfev1"
)

func newLedger(t testing.TB) backend.Ledger {
	t.Helper()
	ledger, err := sqlite.Open(filepath.Join(t.TempDir(), "ledger.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ledger.Close() })
	return ledger
}

// fataler is a test, or one try of a property.
type fataler interface {
	Helper()
	Fatalf(format string, args ...any)
}

func export(t fataler, ledger backend.Ledger) string {
	t.Helper()
	var b bytes.Buffer
	if _, err := backend.Export(context.Background(), ledger, &b, nil); err != nil {
		t.Fatalf("export: %v", err)
	}
	return b.String()
}

func importText(ledger backend.Ledger, text string) (backend.Contents, error) {
	return backend.Import(context.Background(), ledger, strings.NewReader(text), nil)
}

// issued is an invoice as the service would keep it.
func issued(from, to int64, date wsfev1.Date, code, more string) backend.Invoice {
	return backend.Invoice{
		CbteDesde: from, CbteHasta: to, CbteFch: date, Code: code, EmisionTipo: backend.EmisionCAE,
		FchVto: date.AddDays(10), FchProceso: wsfev1.Timestamp(date + "103015"),
		Detail: fmt.Appendf(nil, `{"Concepto":1,"DocTipo":99,"DocNro":0,"CbteDesde":%d,"CbteHasta":%d,"CbteFch":"%s"%s}`, from, to, date, more),
	}
}

// sample has something of everything.
func sample(t *testing.T, ledger backend.Ledger) {
	t.Helper()
	const caea = "46450000000012"
	reported := issued(1, 1, "20261105", caea, `,"ImpTotal":121.00,"CbteFchHsGen":"20261105101500"`)
	reported.EmisionTipo, reported.FchVto = backend.EmisionCAEA, "20261115"
	observed := issued(2, 40, "20261106", "96450000000032", `,"ImpTotal":1234567890123.45,"MonId":"PES","MonCotiz":1.000000`)
	observed.Observaciones = []byte(`{"Obs":[{"Code":10217,"Msg":"¿Ñandú \u00e1 \/ <b>?"}]}`)
	err := ledger.Update(t.Context(), func(tx backend.Tx) error {
		ctx := t.Context()
		return errors.Join(
			tx.Append(ctx, backend.Series{Cuit: issuer, PtoVta: 3, CbteTipo: 6}, []backend.Invoice{reported}),
			tx.Append(ctx, backend.Series{Cuit: issuer, PtoVta: 1, CbteTipo: 6}, []backend.Invoice{
				issued(1, 1, "20261105", "96450000000020", `,"ImpTotal":0.10`), observed,
			}),
			tx.AddCAEA(ctx, backend.CAEA{
				Code: caea, Cuit: issuer, Periodo: 202611, Orden: 1,
				FchVigDesde: "20261101", FchVigHasta: "20261115", FchTopeInf: "20261123", FchProceso: "20261101090000",
			}),
			tx.AddSinMovimiento(ctx, backend.SinMovimiento{CAEA: caea, PtoVta: 4, FchProceso: "20261106"}))
	})
	if err != nil {
		t.Fatal(err)
	}
}

const sampleFile = "testdata/export.jsonl"

func TestAnExportIsLinesInOrder(t *testing.T) {
	ledger := newLedger(t)
	sample(t, ledger)
	got := export(t, ledger)
	if *rewrite {
		if err := os.WriteFile(sampleFile, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(sampleFile)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("exported\n%s\nwant\n%s", got, want)
	}
}

func TestAnEmptyLedgerIsExportedAndImported(t *testing.T) {
	ledger := newLedger(t)
	const want = `{"kind":"ledger","form":"fielato-ledger","version":1}
{"kind":"end","count":{"caeas":0,"sin_movimiento":0,"invoices":0}}
`
	if got := export(t, ledger); got != want {
		t.Errorf("exported %s", got)
	}
	if done, err := importText(ledger, want); err != nil || done != (backend.Contents{}) {
		t.Errorf("imported %v, %v", done, err)
	}
}

// drawLedger fills a ledger with anything that the service could have kept.
func drawLedger(t *rapid.T, tx backend.Tx) error {
	ctx := context.Background()
	amount := rapid.StringMatching(`(0|[1-9][0-9]{0,12})(\.[0-9]{1,6})?`)
	text := rapid.OneOf(rapid.StringN(0, 20, 40), rapid.SampledFrom([]string{"", "\u2028", "a\nb", `"\`, "<&>", "\x00\x1f", "😀"}))
	space := rapid.SampledFrom([]string{"", "", " ", "\t ", "\r"})
	code := rapid.StringMatching(`[0135-8][0-9]{13}`)
	given := map[string]bool{} // a code belongs to one invoice
	advance, err := drawCAEAs(ctx, t, tx)
	if err != nil {
		return err
	}
	for ptoVta := range rapid.Int32Range(0, 3).Draw(t, "points") {
		series := backend.Series{Cuit: issuer + wsfev1.CUIT(ptoVta%2), PtoVta: ptoVta + 1, CbteTipo: 6}
		var invoices []backend.Invoice
		number, date := int64(0), wsfev1.Date("20261101")
		for range rapid.IntRange(1, 5).Draw(t, "invoices") {
			from := number + 1
			number += rapid.SampledFrom([]int64{1, 1, 2, 1000}).Draw(t, "range")
			date = date.AddDays(rapid.IntRange(0, 3).Draw(t, "days"))
			valor, err := jsontext.AppendQuote(nil, text.Draw(t, "text"))
			if err != nil {
				return err
			}
			cae := code.Filter(func(c string) bool { return !given[c] }).Draw(t, "code")
			given[cae] = true
			v := issued(from, number, date, cae, fmt.Sprintf(`,%s"ImpTotal"%s:%s,"Opcionales":{"Opcional":[{"Id":"1","Valor":%s}]}`,
				space.Draw(t, "space"), space.Draw(t, "space"), amount.Draw(t, "amount"), valor))
			if series.Cuit == issuer && len(advance) > 0 && rapid.Bool().Draw(t, "caea") {
				v.EmisionTipo, v.Code, v.FchVto = backend.EmisionCAEA, advance[0].Code, advance[0].FchVigHasta
			}
			if rapid.Bool().Draw(t, "observed") {
				v.Observaciones = fmt.Appendf(nil, `{"Obs":[{"Code":1,%s"Msg":%s}]}`, space.Draw(t, "space"), valor)
			}
			invoices = append(invoices, v)
		}
		if err := tx.Append(ctx, series, invoices); err != nil {
			return err
		}
	}
	return nil
}

func drawCAEAs(ctx context.Context, t *rapid.T, tx backend.Tx) (all []backend.CAEA, err error) {
	for orden := range rapid.Int16Range(0, 2).Draw(t, "caeas") {
		fortnight, _ := wsfev1.FortnightOf(202611, orden+1)
		caea := backend.CAEA{
			Code: fmt.Sprintf("2%013d", orden), Cuit: issuer, Periodo: 202611, Orden: orden + 1,
			FchVigDesde: fortnight.From, FchVigHasta: fortnight.To, FchTopeInf: fortnight.To.AddDays(8), FchProceso: "20261101090000",
		}
		declared := backend.SinMovimiento{CAEA: caea.Code, PtoVta: rapid.Int32Range(3, 5).Draw(t, "point"), FchProceso: "20261106"}
		if err := errors.Join(tx.AddCAEA(ctx, caea), tx.AddSinMovimiento(ctx, declared)); err != nil {
			return nil, err
		}
		all = append(all, caea)
	}
	return all, nil
}

func TestAnImportOfAnExportIsTheSameLedger(t *testing.T) {
	from, to := newLedger(t), newLedger(t)
	rapid.Check(t, func(t *rapid.T) {
		ctx := context.Background()
		for _, ledger := range []backend.Ledger{from, to} {
			if err := ledger.Update(ctx, func(tx backend.Tx) error { return tx.Reset(ctx) }); err != nil {
				t.Fatalf("reset: %v", err)
			}
		}
		if err := from.Update(ctx, func(tx backend.Tx) error { return drawLedger(t, tx) }); err != nil {
			t.Fatalf("fill: %v", err)
		}
		exported := export(t, from)
		if _, err := importText(to, exported); err != nil {
			t.Fatalf("import: %v\n%s", err, exported)
		}
		if again := export(t, to); again != exported {
			t.Fatalf("exported\n%s\nand after the import\n%s", exported, again)
		}
		if a, b := dump(t, from), dump(t, to); a != b {
			t.Fatalf("kept\n%s\nand after the import\n%s", a, b)
		}
	})
}

// dump writes every byte of every invoice, without the export's help.
func dump(t fataler, ledger backend.Ledger) string {
	t.Helper()
	var b strings.Builder
	err := ledger.View(context.Background(), func(r backend.Reader) error {
		all, err := r.AllSeries(context.Background())
		for _, series := range all {
			for v, err := range r.AllInvoices(context.Background(), series) {
				if err != nil {
					return err
				}
				fmt.Fprintf(&b, "%v %+v %q %q\n", series, *v, v.Detail, v.Observaciones)
			}
		}
		return err
	})
	if err != nil {
		t.Fatalf("%v", err)
	}
	return b.String()
}

func TestAnExportSaysWhatItCannotWrite(t *testing.T) {
	for detail, want := range map[string]string{"{": "invoice 1: its Detail is not JSON on one line", "{\n}": "not JSON on one line"} {
		ledger := newLedger(t)
		broken := issued(1, 1, "20261105", "96450000000020", "")
		broken.Detail = []byte(detail)
		err := ledger.Update(t.Context(), func(tx backend.Tx) error {
			return tx.Append(t.Context(), backend.Series{Cuit: issuer, PtoVta: 1, CbteTipo: 6}, []backend.Invoice{broken})
		})
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if _, err := backend.Export(t.Context(), ledger, &b, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", detail, err)
		}
	}
}
