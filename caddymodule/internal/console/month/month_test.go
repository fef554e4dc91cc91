package month

import (
	"context"
	"errors"
	"iter"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/console/site"
	"github.com/fielato/fielato/internal/audittest"
)

// TestAMonthIsAddedUp by service, issuer, currency and series, with what has no column.
func TestAMonthIsAddedUp(t *testing.T) {
	const dollars = `,"MonId":"DOL","MonCotiz":1400,"ImpTotal":10,"ImpTotConc":4,"ImpOpEx":6`
	w := newWorld(
		t, issued(production, 1, 1, taxed), issued(production, 1, 2, taxed), issued(production, 1, 6, taxed),
		issued(production, 3, 1, taxed+`,"CbtesAsoc":{"CbteAsoc":[{"Tipo":1,"PtoVta":1,"Nro":2}]}`),
		issued(production, 1, 7, dollars), issued(production, 6, 1, `,"ImpTotal":"hmac-sha256:00"`), issued(homologation, 6, 3, taxed), issued("wsfev1_backend", 6, 4, taxed),
	)
	got := w.get("/month", "es")
	if want := `octubre de 2026
Producción · 20-11111111-2 · Dólar Estadounidense (DOL)
Tipo | Punto de venta | Cantidad | Números | Neto gravado | IVA | Total |
Factura A | 1 | 1 | 7 | 0,00 | 0,00 | 10,00 |
Suma |  | 1 |  | 0,00 | 0,00 | 10,00 |
No gravado4,00
Exento6,00
Producción · 20-11111111-2 · Pesos Argentinos (PES)
Tipo | Punto de venta | Cantidad | Números | Neto gravado | IVA | Total |
Factura A | 1 | 3 | 1–6 | 30.606,63 | 6.427,38 | 37.037,01 |
Nota de Crédito A | 1 | 1 | 1 | 10.202,21 | 2.142,46 | 12.345,67 |
Suma |  | 4 |  | 20.404,42 | 4.284,92 | 24.691,34 |
Las notas de crédito se restan en la suma.
IVA 21 %neto 20.404,42, IVA 4.284,92
Otros tributos2,00
Factura A, punto de venta 1: saltos de numeración; números que faltan en los registros: 3 (3–5)
Factura A, punto de venta 1: notas de crédito del mes descuentan 12.345,67 en total; comprobantes anulados por completo: 1
Producción · 20-11111111-2 · moneda desconocida
Tipo | Punto de venta | Cantidad | Números | Neto gravado | IVA | Total |
Factura B | 1 | 1 | 1 |  |  |  |
Suma |  | 1 |  |  |  |  |
Factura B, punto de venta 1: comprobantes sin importes, que no están en las sumas: 1 (la pasarela está configurada para no conservar los importes)
Homologación · 20-11111111-2 · Pesos Argentinos (PES)
De prueba, sin validez fiscal: son comprobantes de homologación.`; !strings.Contains(textOf(got.Body.String()), want) || got.Code != http.StatusOK {
		t.Errorf("%d\n%s\nwant\n%s", got.Code, textOf(got.Body.String()), want)
	}
	for _, text := range []string{
		"Homologación · <span", "comprobantes de homologación", "Servicio incorporado · <span", "respondió el servicio incorporado en la pasarela, no ARCA",
		`href="/consola/search?cbte-tipo=1&amp;cuit=20111111112&amp;pto-vta=1&amp;since=2026-10-01&amp;until=2026-10-31"`, `href="/consola/month.csv?month=2026-10"`,
		"month=2026-09", "month=2026-11",
	} {
		if !strings.Contains(got.Body.String(), text) {
			t.Errorf("no %q in\n%s", text, got.Body)
		}
	}
	english := w.get("/month?month=2026-10&cuit=20-11111111-2&by=authorised", "en").Body.String()
	for _, text := range []string{"Month-end closing · October 2026", "Credit notes are subtracted in the sum.", "VAT 21 %", "numbers missing in the records: 3 (3–5)", `value="20-11111111-2"`, "by=authorised&amp;cuit=20111111112&amp;month=2026-09"} {
		if !strings.Contains(english, text) {
			t.Errorf("no %q in\n%s", text, english)
		}
	}
	if got := w.get("/month?cuit=30-50001091-2", "en"); !strings.Contains(got.Body.String(), "No authorised invoice is recorded in this month.") || strings.Contains(got.Body.String(), "month.csv") {
		t.Error(got.Body)
	}
}

// TestPurchasesStandApartFromTheSum.
func TestPurchasesStandApartFromTheSum(t *testing.T) {
	w := newWorld(t, issued(production, 6, 1, taxed), issued(production, 49, 1, taxed))
	body := textOf(w.get("/month?month=2026-10", "es").Body.String())
	for _, want := range []string{
		"Consumidor Final | 1 | 1 | 1 | 10.202,21 | 2.142,46 | 12.345,67 |", "Suma |  | 1 |  | 10.202,21 | 2.142,46 | 12.345,67 |",
		"Los comprobantes de compra de bienes usados (49) son compras: no están en la suma.",
	} {
		if !strings.Contains(body, want) {
			t.Errorf("no %q in\n%s", want, body)
		}
	}
}

// TestClassCHasNoTaxedNet: its subtotal stood under Neto gravado, and in the sum with what was taxed in other classes.
func TestClassCHasNoTaxedNet(t *testing.T) {
	const untaxed = `,"ImpNeto":1000.5,"ImpTrib":2.25,"ImpTotal":1002.75`
	w := newWorld(t, issued(production, 6, 1, taxed), issued(production, 11, 1, untaxed), issued(production, 13, 1, `,"ImpNeto":100,"ImpTotal":100`))
	body := textOf(w.get("/month?month=2026-10", "es").Body.String())
	for _, want := range []string{
		"Factura C | 1 | 1 | 1 | 0,00 | 0,00 | 1.002,75 |", "Suma |  | 3 |  | 10.202,21 | 2.142,46 | 13.248,42 |", "Clase C, sin IVA900,50",
	} {
		if !strings.Contains(body, want) {
			t.Errorf("no %q in\n%s", want, body)
		}
	}
	if csv := w.get("/month.csv?month=2026-10", "es").Body.String(); !strings.Contains(csv, ";;2,25;;1002,75;") || strings.Contains(csv, ";1000,5;") {
		t.Error(csv)
	}
}

// TestAMonthThatMayStillChangeSaysSo.
func TestAMonthThatMayStillChangeSaysSo(t *testing.T) {
	w := newWorld(t)
	for _, test := range []struct {
		now, address, want string
	}{
		{"2026-11-30T23:59:59-03:00", "/month?month=2026-11", "El mes no terminó"},
		{"2026-12-01T00:00:00-03:00", "/month", "Hasta el 10/12/2026 todavía pueden autorizarse"},
		{"2026-12-10T23:59:59-03:00", "/month", "Hasta el 10/12/2026 todavía pueden autorizarse"},
		{"2026-12-11T00:00:00-03:00", "/month", ""},
		{"2026-12-01T00:00:00-03:00", "/month?by=authorised", ""},
	} {
		now, err := time.Parse(time.RFC3339, test.now)
		if err != nil {
			t.Fatal(err)
		}
		w.Now = func() time.Time { return now }
		body := w.get(test.address, "es").Body.String()
		if hasNote := strings.Contains(body, `class="note"`); !strings.Contains(body, "noviembre de 2026") || !strings.Contains(body, test.want) || hasNote != (test.want != "") {
			t.Errorf("%s %s: %s", test.now, test.address, textOf(body))
		}
	}
}

// TestAMonthIsReadAsPeopleWriteIt: a browser without a field for months has one for text.
func TestAMonthIsReadAsPeopleWriteIt(t *testing.T) {
	w := newWorld(t)
	for text, want := range map[string]string{
		"2026-10": "octubre de 2026", "10/2026": "octubre de 2026", "octubre+2026": "octubre de 2026", "Octubre+de+2026": "octubre de 2026",
		"15/10/2026": "No se entiende el mes", "10/2026+x": "No se entiende el mes", "12/2026": "No se entiende el mes",
	} {
		if body := w.get("/month?month="+text, "es").Body.String(); !strings.Contains(body, want) {
			t.Errorf("%s: no %q in %s", text, want, body)
		}
	}
}

// TestAWrongAddressIsExplained beside the form.
func TestAWrongAddressIsExplained(t *testing.T) {
	w := newWorld(t)
	for query, want := range map[string]string{
		"month=2026-12": "No se entiende el mes", "month=x": "No se entiende el mes", "month=2026-10-01": "No se entiende el mes", "month=1999-12": "No se entiende el mes",
		"month=2026-13": "No se entiende el mes", "cuit=20-11111111-3": "dígito verificador", "cuit=%22%3E%3Cscript%3E": "&#34;&gt;&lt;script&gt;", "by=payment": "por qué fecha",
	} {
		got := w.get("/month?"+query, "es")
		if got.Code != http.StatusBadRequest || !strings.Contains(got.Body.String(), want) || !strings.Contains(got.Body.String(), `<form class="month"`) || strings.Contains(got.Body.String(), "<h2>Octubre") {
			t.Errorf("%s: %d %s", query, got.Code, got.Body)
		}
		if got := w.get("/month.csv?"+query, "es"); got.Code != http.StatusBadRequest {
			t.Errorf("%s: %d", query, got.Code)
		}
	}
}

// TestWhatAClientSentIsText: the code of a currency may be anything, and is hidden where documents are.
func TestWhatAClientSentIsText(t *testing.T) {
	w := newWorld(t, issued(production, 6, 1, `,"ImpTotal":1,"MonId":"<b>\u202e=1+1'"`), issued(production, 6, 2, `,"ImpTotal":1,"MonId":"`+strings.Repeat("W", 100_000)+`"`))
	body := w.get("/month", "es").Body.String()
	if strings.Contains(body, "<b>") || strings.Contains(body, "\u202e") || !strings.Contains(body, "&lt;b&gt;") || len(body) > 20_000 {
		t.Error(textOf(body))
	}
	w.MaskAll = true
	if body = w.get("/month", "es").Body.String(); strings.Contains(body, "&lt;b&gt;") || !strings.Contains(body, "· <bdi>oculto</bdi>") {
		t.Error(textOf(body))
	}
	if table := w.get("/month.csv", "es").Body.String(); strings.Contains(table, "<b>") || !strings.Contains(table, ";oculto;") {
		t.Error(table)
	}
}

// TestAPageThatDoesNotGetThroughShowsNoSum: it says how far it came, and which command does.
func TestAPageThatDoesNotGetThroughShowsNoSum(t *testing.T) {
	const command = "<code>fielato wsfev1 audit totals --month 2026-10 --cuit 20111111112 --by authorised</code>"
	w := newWorld(t, issued(production, 6, 1, taxed), issued(production, 6, 2, taxed), issued(production, 6, 3, taxed))
	w.most = 2
	body := w.get("/month?cuit=20111111112&by=authorised", "es").Body.String()
	if !strings.Contains(body, "no llegó a leer todo: encontró unos 3 comprobantes") || !strings.Contains(body, command) || strings.Contains(body, "<table") || strings.Contains(body, "12.345,67") {
		t.Error(textOf(body))
	}
	w.most = 100
	w.patience = time.Nanosecond
	body = w.get("/month", "en").Body.String()
	if !strings.Contains(body, "This page could not read everything: it found some 0 invoices") || strings.Contains(body, "<table") || !strings.Contains(body, "You may also choose one issuer.") {
		t.Error(textOf(body))
	}
	w.exportTime = time.Nanosecond
	table := w.get("/month.csv", "es").Body.String()
	if lines := strings.Split(strings.TrimSpace(table), "\r\n"); len(lines) != 2 || !strings.Contains(lines[1], "El archivo está incompleto; este comando lo genera completo: fielato wsfev1 audit totals --month 2026-10 --invoices") {
		t.Error(table)
	}
	w.exportTime = time.Minute
	ended := make(chan struct{})
	close(ended)
	w.Ending = ended
	if table = w.get("/month.csv", "es").Body.String(); !strings.Contains(table, "El archivo está incompleto") {
		t.Error(table)
	}
}

// TestOneMoreThanThereIsRoomForIsBusy.
func TestOneMoreThanThereIsRoomForIsBusy(t *testing.T) {
	w := newWorld(t)
	w.patience = time.Millisecond
	w.pages <- struct{}{}
	w.exports <- struct{}{}
	for _, path := range []string{"/month", "/month.csv"} {
		if got := w.get(path, "es"); got.Code != http.StatusServiceUnavailable || got.Header().Get("Content-Disposition") != "" {
			t.Errorf("%s: %d %v", path, got.Code, got.Header())
		}
	}
}

// TestAMonthThatCannotBeReadSaysSo, on the page and in the table.
func TestAMonthThatCannotBeReadSaysSo(t *testing.T) {
	w := newWorld(t, issued(production, 6, 1, taxed))
	broken := &unreadable{w.store}
	w.Open = func(_ context.Context, do func([]site.Source) error) error {
		return do([]site.Source{{Store: broken, Logs: []string{log}}})
	}
	if body := w.get("/month", "es").Body.String(); !strings.Contains(body, "No se pudo sumar") || strings.Contains(body, "<table") {
		t.Error(textOf(body))
	}
	if got := w.get("/month.csv", "es"); got.Code != http.StatusInternalServerError {
		t.Errorf("%d %s", got.Code, got.Body)
	}
}

// TestDamagedRecordsHideNoOthers: the sums are shown, with what they may lack, on the page and in the table.
func TestDamagedRecordsHideNoOthers(t *testing.T) {
	w := newWorld(t, issued(production, 6, 1, taxed), issued(production, 6, 2, taxed))
	damaged := &audittest.Damaged{Store: w.store, Summary: map[uint64]bool{3: true}} // the answer about the second
	w.Open = func(_ context.Context, do func([]site.Source) error) error {
		return do([]site.Source{{Store: damaged, Logs: []string{log}}})
	}
	const said = "Registros dañados, que no se pueden leer: 1. Los comprobantes que tengan no están en las sumas"
	if got := textOf(w.get("/month", "es").Body.String()); !strings.Contains(got, "Factura B | 1 | 1 | 1 | 10.202,21") || !strings.Contains(got, said) {
		t.Error(got)
	}
	if got := w.get("/month.csv", "es").Body.String(); strings.Count(got, ";12345,67;") != 1 || !strings.Contains(got, said) {
		t.Error(got)
	}
}

// unreadable is a store that cannot be searched.
type unreadable struct{ audit.Store }

func (*unreadable) Search(context.Context, audit.Query) iter.Seq2[*audit.Record, error] {
	return func(yield func(*audit.Record, error) bool) { yield(nil, errors.New("the disk is gone")) }
}

// TestInvoicesWithoutAmountsSayWhy, and are in no sum.
func TestInvoicesWithoutAmountsSayWhy(t *testing.T) {
	for presence, want := range map[audit.Presence]string{audit.Purged: "el contenido ya no se conserva", audit.Sealed: "el contenido está cifrado y falta la clave"} {
		w := newWorld(t, issued(production, 6, 1, taxed), issued(production, 6, 2, taxed))
		w.Open = func(_ context.Context, do func([]site.Source) error) error {
			return do([]site.Source{{Store: &without{w.store, presence}, Logs: []string{log}}})
		}
		const line = "Factura B | 1 | 2 | 1–2 |  |  |  |\nSuma |  | 2 |  |  |  |  |\n"
		got := textOf(w.get("/month", "es").Body.String())
		if !strings.Contains(got, line) || !strings.Contains(got, "comprobantes sin importes, que no están en las sumas: 2 ("+want+")") {
			t.Error(got)
		}
	}
	w := newWorld(t, issued(production, 6, 1, taxed))
	w.Open = func(_ context.Context, do func([]site.Source) error) error {
		return do([]site.Source{{Store: &without{w.store, audit.Present}, Logs: []string{log}}})
	}
	if got := textOf(w.get("/month", "en").Body.String()); !strings.Contains(got, "invoices without amounts, which are not in the sums: 1 (the request is not there or cannot be read)") {
		t.Error(got)
	}
}

// without is a store whose records have no content.
type without struct {
	audit.Store
	presence audit.Presence
}

func (s *without) Get(ctx context.Context, log string, index uint64) (*audit.Record, error) {
	r, err := s.Store.Get(ctx, log, index)
	if err == nil {
		r.Presence, r.Request, r.Answer = s.presence, nil, nil
	}
	return r, err
}
