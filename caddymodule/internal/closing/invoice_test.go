package closing_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/closing"
	"github.com/fielato/fielato/internal/audittest"
	"github.com/fielato/fielato/wsfev1"
)

// issued returns a store with one approved request, whose invoice has these members beside its number, and this
// answer.
func issued(t *testing.T, operation, members, answer string) audit.Store {
	t.Helper()
	at := time.Date(2026, 10, 15, 12, 0, 0, 0, time.UTC)
	member := map[string]string{"FECAESolicitar": "FeCAEReq", "FECAEARegInformativo": "FeCAEARegInfReq"}[operation]
	list := strings.Replace(strings.Replace(member, "RegInfReq", "DetRequest", 1), "FeCAEReq", "FECAEDetRequest", 1)
	list = strings.Replace(list, "FeCAEADet", "FECAEADet", 1)
	intent := &audit.Record{
		Kind: audit.KindIntent, ID: "i", Time: at, Operation: operation, Cuit: issuers[0], PtoVta: 1, CbteTipo: 1, Certainty: audit.Unknown,
		Vouchers: []audit.Voucher{{CbteDesde: 7, CbteHasta: 7}},
		Request:  fmt.Appendf(nil, `{"%s":{"FeDetReq":{"%s":[{"CbteDesde":7,"CbteHasta":7%s}]}}}`, member, list, members),
	}
	outcome := *intent
	outcome.Kind, outcome.Request, outcome.Upstream, outcome.Outcome = audit.KindOutcome, nil, "wswhomo.afip.gov.ar:443", audit.OutcomeApproved
	outcome.Certainty, outcome.Resultado, outcome.Answer = audit.Answered, wsfev1.Aprobado, []byte(answer)
	outcome.Vouchers = []audit.Voucher{{CbteDesde: 7, CbteHasta: 7, Code: "76000000000001", Resultado: wsfev1.Aprobado, Expires: "20261025"}}
	store := audittest.NewMemory()
	if err := store.Commit(t.Context(), audittest.Seal(t, store, "one", intent, &outcome)); err != nil {
		t.Fatal(err)
	}
	return store
}

// of returns the invoices of a month.
func of(t *testing.T, store audit.Store, month string) (all []closing.Invoice) {
	t.Helper()
	m, err := closing.ParseMonth(month)
	if err != nil {
		t.Fatal(err)
	}
	for i, err := range closing.Invoices(t.Context(), store, []string{"one"}, closing.Wanted{Month: m, By: closing.ByDate}, nil) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, *i)
	}
	return all
}

// TestWhatARequestDoesNotSayIsNotGuessed.
func TestWhatARequestDoesNotSayIsNotGuessed(t *testing.T) {
	const answered = `{"FeDetResp":{"FECAEDetResponse":[{"CbteDesde":7,"CbteHasta":7,"CbteFch":"20261014"}]}}`
	const hidden = `"hmac-sha256:0011"`
	for name, c := range map[string]struct{ members, want string }{
		"all of it":            {`,"CbteFch":"20261013","ImpTotal":121.00,"MonId":"DOL","DocTipo":96,"DocNro":7`, `13/10/2026 "" 121.00 DOL 96 7 false`},
		"no date":              {`,"ImpTotal":1`, `14/10/2026 "" 1 PES 0 0 false`},
		"a null date":          {`,"CbteFch":null,"ImpTotal":1`, `14/10/2026 "" 1 PES 0 0 false`},
		"a hidden receiver":    {`,"CbteFch":"20261013","ImpTotal":1,"DocTipo":96,"DocNro":` + hidden, `13/10/2026 "" 1 PES 96 0 true`},
		"a hidden total":       {`,"CbteFch":"20261013","ImpTotal":` + hidden, `13/10/2026 "hidden" 0  0 0 false`},
		"a hidden rate of VAT": {`,"CbteFch":"20261013","ImpTotal":1,"Iva":{"AlicIva":[{"Id":5,"BaseImp":` + hidden + `}]}`, `13/10/2026 "hidden" 0  0 0 false`},
		"hidden VAT":           {`,"ImpTotal":1,"Iva":` + hidden, `15/10/2026 "unreadable" 0  0 0 false`},
	} {
		t.Run(name, func(t *testing.T) {
			all := of(t, issued(t, "FECAESolicitar", c.members, answered), "2026-10")
			if len(all) != 1 {
				t.Fatalf("%d invoices", len(all))
			}
			i := all[0]
			day, _ := i.Date.Time()
			if got := fmt.Sprintf("%s %q %s %s %d %d %v", day.Format("02/01/2006"), i.Missing, i.Total, i.Currency, i.DocTipo, i.DocNro, i.HiddenReceiver); got != c.want {
				t.Errorf("%s\nwant %s", got, c.want)
			}
			if i.Environment != "testing" || i.Code != "76000000000001" || i.Expires != "20261025" || i.Record.Address() != "one/1" || i.Request.Address() != "one/0" {
				t.Errorf("%+v", i)
			}
		})
	}
}

// settled is a settlement of an intent at index 0 of another log, that was asked of the service of production.
func settled(operation string, vouchers ...audit.Voucher) (question, settlement *audit.Record) {
	at := time.Date(2026, 10, 15, 13, 0, 0, 0, time.UTC)
	question = &audit.Record{Kind: audit.KindExchange, ID: "lost", Time: at, Operation: "FECompConsultar", Decision: audit.DecisionAsk, Outcome: audit.OutcomeAnswered, Upstream: "servicios1.afip.gov.ar:443"}
	return question, &audit.Record{
		Kind: audit.KindSettlement, ID: "lost", IntentLog: "gone", Time: at, Operation: operation, Cuit: issuers[0], PtoVta: 1, CbteTipo: 1, Vouchers: vouchers,
		Decision: audit.DecisionForward, Outcome: audit.OutcomeRecovered, Certainty: audit.Answered, Resultado: wsfev1.Aprobado,
	}
}

// TestASettlementIsOfTheServiceThatWasAsked: a settlement of an earlier build does not name it, and the question does.
func TestASettlementIsOfTheServiceThatWasAsked(t *testing.T) {
	question, settlement := settled("FECAESolicitar", audit.Voucher{CbteDesde: 7, CbteHasta: 7, Code: "76000000000001", Resultado: wsfev1.Aprobado})
	named := *settlement
	named.ID, named.Environment, named.Vouchers = "named", audit.EnvironmentTesting, []audit.Voucher{{CbteDesde: 8, CbteHasta: 8, Code: "76000000000002", Resultado: wsfev1.Aprobado}}
	alone := *settlement
	alone.ID, alone.Vouchers = "alone", []audit.Voucher{{CbteDesde: 9, CbteHasta: 9, Code: "76000000000003", Resultado: wsfev1.Aprobado}}
	store := audittest.NewMemory()
	if err := store.Commit(t.Context(), audittest.Seal(t, store, "one", question, settlement, &named, &alone)); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, i := range of(t, store, "2026-10") {
		got = append(got, fmt.Sprint(i.First, " ", i.Environment, " ", i.Missing))
	}
	slices.Sort(got)
	if want := []string{"7 production unreadable", "8 testing unreadable", "9 another unreadable"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

// TestALotWhoseRequestIsElsewhereIsCounted, and ends no month: neither its numbers nor its amounts are known.
func TestALotWhoseRequestIsElsewhereIsCounted(t *testing.T) {
	_, lot := settled("FECAEARegInformativo", audit.Voucher{Code: "36000000000001"})
	whole := issued(t, "FECAESolicitar", `,"CbteFch":"20261013","ImpTotal":1`, "{}")
	if err := whole.(*audittest.Memory).Commit(t.Context(), audittest.Seal(t, whole, "two", lot)); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		wanted    closing.Wanted
		elsewhere int64
		invoices  int
	}{
		"of the date":                     {closing.Wanted{Month: closing.Month{Year: 2026, Month: time.October}, By: closing.ByDate}, 1, 1},
		"authorised":                      {closing.Wanted{Month: closing.Month{Year: 2026, Month: time.October}, By: closing.ByAuthorised}, 1, 1},
		"authorised in the month before":  {closing.Wanted{Month: closing.Month{Year: 2026, Month: time.September}, By: closing.ByAuthorised}, 0, 0},
		"of another issuer":               {closing.Wanted{Month: closing.Month{Year: 2026, Month: time.October}, By: closing.ByDate, Issuer: issuers[1]}, 0, 0},
		"of a date before the settlement": {closing.Wanted{Month: closing.Month{Year: 2026, Month: time.July}, By: closing.ByDate}, 1, 0},
	} {
		reading, invoices := new(closing.Reading), 0
		for _, err := range closing.Invoices(t.Context(), whole, []string{"one", "two"}, c.wanted, reading) {
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			invoices++
		}
		if reading.LotsElsewhere != c.elsewhere || invoices != c.invoices {
			t.Errorf("%s: %d lots elsewhere, %d invoices", name, reading.LotsElsewhere, invoices)
		}
	}
}

// TestDamagedRecordsAreCounted, and all others are added up.
func TestDamagedRecordsAreCounted(t *testing.T) {
	var records []*audit.Record
	for number := range int64(5) {
		at := time.Date(2026, 10, 15, 12, int(number), 0, 0, time.UTC)
		intent := audit.Record{
			Kind: audit.KindIntent, ID: fmt.Sprint(number), Time: at, Operation: "FECAESolicitar", Cuit: issuers[0], PtoVta: 1, CbteTipo: 6, Upstream: "servicios1.afip.gov.ar:443",
			Decision: audit.DecisionForward, Certainty: audit.Unknown, Vouchers: []audit.Voucher{{CbteDesde: number + 1, CbteHasta: number + 1}},
			Request: fmt.Appendf(nil, `{"FeCAEReq":{"FeDetReq":{"FECAEDetRequest":[{"CbteDesde":%d,"CbteHasta":%[1]d,"CbteFch":"20261015","ImpTotal":121}]}}}`, number+1),
		}
		outcome := intent
		outcome.Kind, outcome.Intent, outcome.Request = audit.KindOutcome, uint64(len(records)), nil
		outcome.Outcome, outcome.Certainty, outcome.Resultado = audit.OutcomeApproved, audit.Answered, wsfev1.Aprobado
		outcome.Vouchers = []audit.Voucher{{CbteDesde: number + 1, CbteHasta: number + 1, Code: "76000000000001", Resultado: wsfev1.Aprobado}}
		records = append(records, &intent, &outcome)
	}
	store := audittest.NewMemory()
	if err := store.Commit(t.Context(), audittest.Seal(t, store, "one", records...)); err != nil {
		t.Fatal(err)
	}
	damaged := &audittest.Damaged{Store: store, Content: map[uint64]bool{8: true}, Summary: map[uint64]bool{3: true, 5: true}}
	reading, got := new(closing.Reading), []string{}
	for i, err := range closing.Invoices(t.Context(), damaged, []string{"one"}, closing.Wanted{Month: closing.Month{Year: 2026, Month: time.October}, By: closing.ByDate}, reading) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, fmt.Sprint(i.First, " ", i.Total, " ", i.Missing))
	}
	if want := []string{"1 121 ", "4 121 ", "5 0 unreadable"}; !slices.Equal(got, want) || reading.Damaged != 2 {
		t.Errorf("%q, %d damaged", got, reading.Damaged)
	}
}

// TestAReportedInvoiceIsOfTheMonthOfItsDate: it may be reported long after.
func TestAReportedInvoiceIsOfTheMonthOfItsDate(t *testing.T) {
	store := issued(t, "FECAEARegInformativo", `,"CbteFch":"20260705","ImpTotal":5`, "{}")
	if all := of(t, store, "2026-07"); len(all) != 1 || all[0].Total.String() != "5" {
		t.Errorf("%+v", all)
	}
	if all := of(t, store, "2026-10"); len(all) != 0 {
		t.Errorf("%+v", all)
	}
}

// TestARecoveredInvoiceIsOfTheMonthOfItsDate: where an older copy of the trail was restored, clients may repeat what was issued
// since, and the gateway finds it at the service, whenever that is.
func TestARecoveredInvoiceIsOfTheMonthOfItsDate(t *testing.T) {
	at := time.Date(2026, 12, 1, 13, 0, 0, 0, time.UTC)
	intent := audit.Record{
		Kind: audit.KindIntent, ID: "again", Time: at, Operation: "FECAESolicitar", Cuit: issuers[0], PtoVta: 1, CbteTipo: 6, Upstream: "servicios1.afip.gov.ar:443",
		Decision: audit.DecisionForward, Certainty: audit.Unknown, Vouchers: []audit.Voucher{{CbteDesde: 7, CbteHasta: 7}},
		Request: []byte(`{"FeCAEReq":{"FeDetReq":{"FECAEDetRequest":[{"CbteDesde":7,"CbteHasta":7,"CbteFch":"20261015","ImpTotal":121}]}}}`),
	}
	outcome := intent
	outcome.Kind, outcome.Request, outcome.Outcome, outcome.Certainty, outcome.Resultado = audit.KindOutcome, nil, audit.OutcomeRecovered, audit.Answered, wsfev1.Aprobado
	outcome.Vouchers = []audit.Voucher{{CbteDesde: 7, CbteHasta: 7, Code: "76000000000001", Resultado: wsfev1.Aprobado}}
	store := audittest.NewMemory()
	if err := store.Commit(t.Context(), audittest.Seal(t, store, "one", &intent, &outcome)); err != nil {
		t.Fatal(err)
	}
	if all := of(t, store, "2026-10"); len(all) != 1 || all[0].Total.String() != "121" {
		t.Errorf("%+v", all)
	}
	if all := of(t, store, "2026-12"); len(all) != 0 {
		t.Errorf("%+v", all)
	}
}

// TestATableIsReadAsABook, which agrees with the same invoices: its amounts come back.
func TestATableIsReadAsABook(t *testing.T) {
	m := newMonth(t, 3)
	m.fill(200)
	wanted := closing.Wanted{Month: closing.Month{Year: 2026, Month: time.October}, By: closing.ByDate, Issuer: issuers[1]}
	var text bytes.Buffer
	table, err := closing.NewTable(&text)
	if err != nil {
		t.Fatal(err)
	}
	var all []closing.Invoice
	for i, err := range closing.Invoices(t.Context(), m.store, []string{"one", "two"}, wanted, nil) {
		if err != nil {
			t.Fatal(err)
		}
		if i.Environment != "production" {
			continue // the built-in service has numbers of its own
		}
		all = append(all, *i)
		if err := table.Write(i); err != nil {
			t.Fatal(err)
		}
	}
	if err := table.Flush(); err != nil || len(all) < 20 {
		t.Fatalf("%d invoices, %v", len(all), err)
	}
	book, err := closing.ReadBook(strings.NewReader(text.String()))
	if err != nil {
		t.Fatal(err)
	}
	c := closing.NewComparison(book)
	wrong := slices.IndexFunc(all[1:], func(i closing.Invoice) bool { return i.Missing == "" }) + 1
	all[wrong].Total = all[wrong].Total.Add(wsfev1.MustAmount("0.01"))
	for i := range all[1:] {
		c.Add(&all[i+1])
	}
	missing, count := c.MissingHere()
	if c.DifferingCount != 1 || c.Differing[0].Column != "total" || c.MissingThereCount != 0 || count != 1 || missing[0].First != all[0].First ||
		c.Equal+c.Unknown != int64(len(all)-2) || c.Equal < 10 {
		t.Errorf("%d alike, %d unknown, %+v, %+v, missing here %+v", c.Equal, c.Unknown, c.Differing, c.MissingThere, missing)
	}
}

// TestBooksOfOthers are read by their heads, in any order and form.
func TestBooksOfOthers(t *testing.T) {
	i := closing.Invoice{Series: closing.Series{CbteTipo: 6, PtoVta: 3}, First: 15, Last: 15, Code: "76000000000001"}
	i.Total, i.Net, i.VAT = wsfev1.MustAmount("1210.50"), wsfev1.MustAmount("1000.41"), wsfev1.MustAmount("210.09")
	for name, c := range map[string]struct{ text, want string }{
		"Mis Comprobantes": {
			"\ufeff\"Fecha de Emisión\";\"Tipo de Comprobante\";\"Punto de Venta\";\"Número Desde\";\"Número Hasta\";\"Cód. Autorización\";\"Tipo Cambio\";\"Moneda\";\"Total IVA\";\"Imp. Total\"\n" +
				"\"2026-10-02\";\"6\";\"00003\";\"00000015\";\"00000015\";\"76000000000001\";\"1,00\";\"$\";\"210,09\";\"1210,50\"\n", "equal",
		},
		"the older one": {
			"\"Fecha\",\"Tipo\",\"Punto de Venta\",\"Número Desde\",\"Número Hasta\",\"Cód. Autorización\",\"Imp. Neto Gravado\",\"IVA\",\"Imp. Total\"\n" +
				"\"02/10/2026\",\"6 - Factura B\",\"3\",\"15\",\"\",\"76000000000001\",\"1000.41\",\"210.09\",\"1210.5\"\n", "equal",
		},
		"in ISO 8859-1, with dots": {"TIPO\tPTO. VTA.\tN\xdaMERO\tTOTAL\n6\t3\t15\t$ 1.210,50\n\t\t\t\n", "equal"},
		"another total":            {"tipo,pto vta,numero,total\n6,3,15,1210.49\n", "total 1210.50 1210.49"},
		"another CAE":              {"tipo,pto vta,numero,total,cae\n6,3,15,1210.50,1\n", "code 76000000000001 1"},
		"another number":           {"tipo,pto vta,numero,total\n6,3,16,1210.50\n", "missing there, missing here at line 2"},
		"an invoice below zero":    {"tipo,pto vta,numero,total\n6,3,15,-1210.50\n", "total 1210.50 -1210.50"},
		"twice":                    {"tipo,pto vta,numero,total\n6,3,15,1210.50\n6,3,15,1210.50\n", "equal, line 3 is double"},
		"no heads":                 {"6,3,15,1210.50\n", `error: no column "tipo"`},
		"an amount of two minds":   {"tipo,pto vta,numero,total\n6,3,15,1.210\n", `error: line 2, column 4 (total), "1.210": write an amount such as 1234,56: it may mean thousands or decimals`},
		"no number":                {"tipo,pto vta,numero,total\n6,3,x,1\n", `error: line 2, column 3 (numero), "x": it is no number`},
		"thousands as in English":  {"tipo,pto vta,numero,total\n6,3,15,\"1,210\"\n", `error: line 2, column 4 (total), "1,210"`},
		"groups of other lengths":  {"tipo;pto vta;numero;total\n6;3;15;12.10.50\n", `error: line 2, column 4 (total), "12.10.50"`},
		"digits that Excel cut":    {"tipo;pto vta;numero;total\n6;3;15;1,2105E+03\n", `error: line 2, column 4 (total), "1,2105E+03"`},
		"no total":                 {"tipo;pto vta;total;numero\n6;3;;15\n", "1 unknown"},
		"an amount in two cells":   {"tipo,pto vta,numero,total\n6,3,15,1210,50\n", `error: line 2, column 5, "50": the first line has 4 columns`},
		"a range in one cell":      {"tipo;pto vta;numero;total\n6;3;15 al 20;1210,50\n", `error: line 2, column 3 (numero), "15 al 20"`},
		"a type in words":          {"tipo;pto vta;numero;total\nFactura B;3;15;1210,50\n", `error: line 2, column 1 (tipo), "Factura B"`},
		"number and point in one":  {"tipo;pto vta;numero;total\n6;;0003-00000015;1210,50\n", `error: line 2, column 2 (pto vta), ""`},
		"no number, but a CAE":     {"tipo;pto vta;numero;total;cae\n6;;;1210,50;76000000000001\n", `error: line 2, column 2 (pto vta), ""`},
		"behind a long name":       {"tipo;pto vta;numero;total;nombre\r\n\r\n6;3;14;1,00;\"Juan\nPérez\"\r\n\r\n6;3;x;1\r\n", `error: line 6, column 3 (numero), "x"`},
		"after an empty line":      {"\r\ntipo;pto vta;numero;total\r\n6;3;15;1210,50\r\n;;;1210,50\r\n", "equal"},
		"with signs":               {"tipo;pto vta;numero;total;neto gravado\n6;3;15;$\u00a01.210,50;\" 1.000,41 \"\n", "equal"},
		"empty":                    {"", "error: its first line"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := compared(c.text, &i); !strings.HasPrefix(got, c.want) {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
	i.CbteTipo = 8
	for _, total := range []string{"-1210.50", "1210.50", "(1.210;50)", "-$ 1.210;50", "$ -1210.50"} {
		if got := compared("tipo;pto vta;numero;total\n8;3;15;"+strings.ReplaceAll(total, ";", ",")+"\n", &i); got != "equal" {
			t.Errorf("a credit note of %s: %s", total, got)
		}
	}
}

// TestClassCIsComparedWithEitherNet: programs write its subtotal as net, or no net.
func TestClassCIsComparedWithEitherNet(t *testing.T) {
	i := closing.Invoice{Series: closing.Series{CbteTipo: 11, PtoVta: 3}, First: 15, Last: 15}
	i.Total, i.Subtotal = wsfev1.MustAmount("100"), wsfev1.MustAmount("100")
	for net, want := range map[string]string{"0": "equal", "": "equal", "100": "equal", "99": "net 100 99"} {
		if got := compared("tipo,pto vta,numero,total,neto gravado\n11,3,15,100,"+net+"\n", &i); got != want {
			t.Errorf("net %q: %s, want %s", net, got, want)
		}
	}
}

// compared tells what a comparison of an invoice with a book says.
func compared(text string, i *closing.Invoice) string {
	book, err := closing.ReadBook(strings.NewReader(text))
	if err != nil {
		return "error: " + err.Error()
	}
	c := closing.NewComparison(book)
	c.Add(i)
	var says []string
	for _, d := range c.Differing {
		says = append(says, d.Column+" "+d.Here+" "+d.There)
	}
	if c.MissingThereCount > 0 {
		says = append(says, "missing there")
	}
	here, _ := c.MissingHere()
	for _, d := range here {
		says = append(says, fmt.Sprintf("missing here at line %d", d.Line))
	}
	if c.Equal > 0 {
		says = append(says, "equal")
	}
	if c.Unknown > 0 {
		says = append(says, fmt.Sprintf("%d unknown", c.Unknown))
	}
	for _, line := range book.Doubled {
		says = append(says, fmt.Sprintf("line %d is double", line))
	}
	return strings.Join(says, ", ")
}

// FuzzBook: a book is a file of others.
func FuzzBook(f *testing.F) {
	f.Add("\ufefftipo;pto vta;numero;total\n6;3;15;1.210,50\n")
	f.Add("tipo,pto vta,numero,total\n\"6 - Factura B\",3,15,$ 1\n")
	f.Fuzz(func(_ *testing.T, text string) {
		if _, err := closing.ReadBook(strings.NewReader(text)); err != nil {
			return
		}
	})
}
