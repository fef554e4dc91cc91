package search

import (
	"fmt"
	"html"
	"maps"
	"math/rand/v2"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/console/standing"
	"github.com/fielato/fielato/internal/audittest"
	"github.com/fielato/fielato/wsfev1"
)

var (
	invoiceLink = regexp.MustCompile(`<tr data-record="/consola/comprobante/([0-9/]+)"`)
	stateCell   = regexp.MustCompile(`data-label="Estado"><span class="outcome ([a-z]*)">([^<]*)<`)
	attemptCell = regexp.MustCompile(`data-label="Intentos" class="number">(?:<a href="([^"]*)">([0-9.+]+)</a>)?`)
)

// invoicesIn returns the invoices of a page, as ISSUER/TYPE/POINT/NUMBER.
func invoicesIn(page string) (all []string) {
	for _, match := range invoiceLink.FindAllStringSubmatch(page, -1) {
		all = append(all, match[1])
	}
	return all
}

// lot returns an exchange about so many invoices from a number on.
func lot(cuit wsfev1.CUIT, first, count int64, seconds int, outcome audit.Outcome) *audit.Record {
	r := invoice(cuit, 6, first, seconds)
	r.Outcome, r.Vouchers = outcome, nil
	var lines []string
	for n := first; n < first+count; n++ {
		v := audit.Voucher{CbteDesde: n, CbteHasta: n}
		if outcome == audit.OutcomeApproved {
			v.Code, v.Resultado = fmt.Sprintf("7647%010d", n), "A"
		}
		r.Vouchers = append(r.Vouchers, v)
		lines = append(lines, fmt.Sprintf(`{"DocTipo":96,"DocNro":%d,"CbteDesde":%d,"CbteHasta":%d,"CbteFch":"20261122","ImpTotal":%d,"MonId":"PES"}`, 20_000_000+n, n, n, 100+n))
	}
	r.Request = fmt.Appendf(nil, `{"FeCAEReq":{"FeCabReq":{"PtoVta":1},"FeDetReq":{"FECAEDetRequest":[%s]}}}`, strings.Join(lines, ","))
	if outcome != audit.OutcomeApproved {
		r.Resultado, r.Decision = "", "refuse"
	}
	return r
}

// table returns an exchange that is about no invoice.
func table(seconds int) *audit.Record {
	return &audit.Record{Kind: audit.KindExchange, Time: noon.Add(time.Duration(seconds) * time.Second), Operation: "FEParamGetTiposCbte", Cuit: ours, Decision: "forward", Outcome: "answered", Certainty: audit.Answered, Status: 200}
}

// question returns a question of the gateway.
func question(number int64, seconds int) *audit.Record {
	r := invoice(ours, 6, number, seconds)
	r.Operation, r.Decision, r.Outcome = "FECompConsultar", audit.DecisionAsk, "answered"
	return r
}

// TestOneRowIsOneInvoice with what it is now, however often it was tried.
func TestOneRowIsOneInvoice(t *testing.T) {
	store := newStore(t)
	unknown := lot(ours, 9, 1, 6, audit.OutcomeUnknown)
	unknown.Decision, unknown.Certainty = "forward", audit.Unknown
	write(t, store, "a", lot(ours, 7, 1, 0, audit.OutcomeRefused), lot(ours, 7, 1, 1, audit.OutcomeRefused), lot(ours, 7, 1, 2, audit.OutcomeApproved), lot(ours, 8, 1, 3, audit.OutcomeRefused), table(4), question(7, 5), unknown)
	m := newWorld(store)
	page := m.get("/search").Body.String()
	if got := invoicesIn(page); !slices.Equal(got, []string{"20111111112/6/1/9", "20111111112/6/1/8", "20111111112/6/1/7"}) {
		t.Fatalf("%v in\n%s", got, page)
	}
	var states []string
	for _, match := range stateCell.FindAllStringSubmatch(page, -1) {
		states = append(states, match[1]+" "+html.UnescapeString(match[2]))
	}
	if want := []string{"open No se sabe si fue emitido desde el 22/11/2026 12:00:06", "bad No emitido: rechazado por una regla", "good Aprobado"}; !slices.Equal(states, want) {
		t.Errorf("%q\nwant %q", states, want)
	}
	wantAll(t, page, "<h1>Últimos comprobantes</h1>", "3 comprobantes: 22/11/2026 12:00:02 a 22/11/2026 12:00:06", "DNI 20.000.007", "107,00", "76470000000007", `class="number">22/11/2026</td>`,
		"1 intercambio leído no es de ningún comprobante y no está en la lista.", `<a href="/consola/search?list=exchanges">Ver los intercambios</a>`)
	attempts := attemptCell.FindAllStringSubmatch(page, -1)
	if len(attempts) != 3 || attempts[2][2] != "3" {
		t.Errorf("%q", attempts)
	}
	if got := rowsOf(m.get(strings.TrimPrefix(html.UnescapeString(attempts[2][1]), "/consola")).Body.String()); !slices.Equal(got, []string{"a/5", "a/2", "a/1", "a/0"}) {
		t.Errorf("all exchanges about it are %v", got)
	}
	if page := m.get("/search?outcome=refused").Body.String(); !slices.Equal(invoicesIn(page), []string{"20111111112/6/1/8", "20111111112/6/1/7"}) || !strings.Contains(page, "Aprobado") {
		t.Errorf("what was refused once: %v", invoicesIn(page))
	}
	lines := tableOf(t, m.get("/search.csv?nro=7").Body.String())
	if want := []string{"2026-11-22 12:00:02", "Factura B 0001-00000007", "20-11111111-2", "22/11/2026", "DNI 20.000.007", "107", "PES", "Aprobado", "76470000000007", "3"}; len(lines) != 2 || !slices.Equal(lines[1], want) {
		t.Errorf("%q", lines)
	}
	m.MaskAll = true
	wantNone(t, m.get("/search").Body.String()+m.get("/search.csv").Body.String(), "20.000.007")
}

// TestManyRepeatsDoNotHideAnApproval: a client that repeats an approved invoice all day, and one that repeats a refused one.
func TestManyRepeatsDoNotHideAnApproval(t *testing.T) {
	store := newStore(t)
	all := []*audit.Record{lot(ours, 7, 1, 0, audit.OutcomeApproved)}
	for i := range standing.MaxExchanges {
		all = append(all, lot(ours, 7, 1, 1+i, audit.OutcomeRefused), lot(ours, 8, 1, 1+i, audit.OutcomeRefused))
	}
	write(t, store, "a", append(all, lot(ours, 8, 1, 1+standing.MaxExchanges, audit.OutcomeRefused))...)
	m := newWorld(store)
	for number, want := range map[string][]string{"7": {"Aprobado", "76470000000007", "1.000+"}, "8": {"más intercambios de los que una lista cuenta", "", "1.000+"}} {
		lines := tableOf(t, m.get("/search.csv?nro="+number).Body.String())
		if len(lines) != 2 || !slices.Equal(lines[1][len(lines[1])-3:], want) {
			t.Errorf("%s: %q, want %q", number, lines, want)
		}
	}
}

// TestWhatOnlyExchangesHaveOpensAsExchanges, and each search can be switched.
func TestWhatOnlyExchangesHaveOpensAsExchanges(t *testing.T) {
	store := newStore(t)
	write(t, store, "a", invoice(ours, 6, 1, 0), table(1), question(1, 2))
	m := newWorld(store)
	for query, invoices := range map[string]bool{
		"": true, "q=B+0001-00000001": true, "outcome=approved": true, "operation=FECAESolicitar": true, "client=192.0.2.7": true,
		"outcome=answered": false, "outcome=not_sent": false, "operation=FEDummy": false, "kind=exchange": false, "certainty=unknown": false,
		"id=00000000-0000-4000-8000-000000000001": false, "outcome=open": false, "status=200": false, "list=exchanges": false, "list=invoices&certainty=answered": true,
	} {
		page := m.get("/search?" + query).Body.String()
		if got := strings.Contains(page, `data-list="invoices"`); got != invoices {
			t.Errorf("%q lists invoices: %t", query, got)
		}
	}
	page := m.exchanges("/search").Body.String()
	hide := html.UnescapeString(between(page, `<a class="questions" href="/consola`, `"`))
	wantAll(t, page, ">Ocultar las consultas de la pasarela</a>")
	quiet := m.get(hide).Body.String()
	if got := rowsOf(quiet); !slices.Equal(got, []string{"a/1", "a/0"}) || !strings.Contains(hide, "questions=hidden") {
		t.Errorf("without questions: %s has %v", hide, got)
	}
	wantAll(t, quiet, ">Mostrar las consultas de la pasarela</a>", `<input type="hidden" name="questions" value="hidden">`)
	for query, want := range map[string]string{"kind=access": "/consola/readings", "outcome=purge&identity=ana": "/consola/readings?who=ana"} {
		if answered := m.get("/search?" + query); answered.Code != http.StatusSeeOther || answered.Header().Get("Location") != want {
			t.Errorf("%s leads to %v", query, answered.Header())
		}
	}
}

// TestALotGivesItsInvoices page by page, those that are asked for alone.
func TestALotGivesItsInvoices(t *testing.T) {
	store := newStore(t)
	write(t, store, "a", lot(ours, 1001, 250, 0, audit.OutcomeApproved), lot(ours, 2000, 1, 1, audit.OutcomeApproved))
	m := newWorld(store)
	var all []string
	pages := 0
	for at := "/search"; at != ""; pages++ {
		page := m.get(at).Body.String()
		all = append(all, invoicesIn(page)...)
		if len(page) > 60<<10 {
			t.Errorf("a page has %d bytes", len(page))
		}
		at = linkOf(page, "next")
	}
	if pages != 6 || len(all) != 251 || all[1] != "20111111112/6/1/1250" || all[250] != "20111111112/6/1/1001" {
		t.Errorf("%d pages, %d invoices", pages, len(all))
	}
	for query, want := range map[string]string{"q=1-1100": "20111111112/6/1/1100", "cae=76470000001100": "20111111112/6/1/1100", "receiver=20001100": "20111111112/6/1/1100"} {
		if got := invoicesIn(m.get("/search?" + query).Body.String()); !slices.Equal(got, []string{want}) {
			t.Errorf("%s: %v", query, got)
		}
	}
	if lines := tableOf(t, m.get("/search.csv").Body.String()); len(lines) != 252 {
		t.Errorf("%d lines", len(lines))
	}
}

// TestEachInvoiceIsListedOnce, whatever was tried in whichever log, while more comes, and however little a page has time for.
func TestEachInvoiceIsListedOnce(t *testing.T) {
	for seed := range uint64(12) {
		random := rand.New(rand.NewPCG(seed, 3))
		first, second := audittest.NewMemory(), audittest.NewMemory()
		want := map[string]bool{}
		add := func(known bool) {
			r := lot([]wsfev1.CUIT{ours, theirs}[random.IntN(2)], 1+random.Int64N(12), 1+random.Int64N(4), random.IntN(20), []audit.Outcome{"approved", "refused", "rejected"}[random.IntN(3)])
			switch random.IntN(5) {
			case 0:
				r = table(random.IntN(20))
			case 1:
				r = question(1+random.Int64N(12), random.IntN(20))
			}
			store := []audit.Store{first, second}[random.IntN(2)]
			write(t, store, []string{"a", "b"}[random.IntN(2)], r)
			for _, v := range r.Vouchers {
				if known && r.Decision != audit.DecisionAsk {
					want[fmt.Sprintf("%d/6/1/%d", int64(r.Cuit), v.CbteDesde)] = true
				}
			}
		}
		for range 5 + random.IntN(40) {
			add(true)
		}
		m := newWorld(first, second)
		m.pageRows = 1 + random.IntN(6)
		if random.IntN(2) == 0 {
			m.patience = 0
		}
		got, pages := map[string]int{}, []string{}
		for at := "/search"; at != "" && len(pages) < 2000; {
			page := m.get(at).Body.String()
			pages = append(pages, fmt.Sprint(invoicesIn(page)))
			for _, one := range invoicesIn(page) {
				got[one]++
			}
			if at = linkOf(page, "next"); at == "" && len(pages) > 1 && m.patience > 0 {
				page = m.get(linkOf(page, "prev")).Body.String()
				if again := fmt.Sprint(invoicesIn(page)); len(pages) > 2 && again != pages[len(pages)-2] {
					t.Errorf("seed %d: the way back has %s, not %s", seed, again, pages[len(pages)-2])
				}
			}
			add(false)
		}
		for one := range want {
			if got[one] != 1 {
				t.Errorf("seed %d: %s is listed %d times", seed, one, got[one])
			}
		}
		if len(got) != len(want) {
			t.Errorf("seed %d: listed are %v", seed, slices.Sorted(maps.Keys(got)))
		}
	}
}

// TestWhatCannotBeReadIsARow, and all others are shown.
func TestWhatCannotBeReadIsARow(t *testing.T) {
	sound := audittest.NewMemory()
	for i := range 5 {
		write(t, sound, "a", lot(ours, int64(1+i), 1, i, audit.OutcomeApproved))
	}
	store := &audittest.Damaged{Store: sound, Content: map[uint64]bool{3: true}, Summary: map[uint64]bool{1: true}}
	m := newWorld(store)
	page := m.exchanges("/search").Body.String()
	if got := rowsOf(page); !slices.Equal(got, []string{"a/4", "a/3", "a/2", "a/1", "a/0"}) {
		t.Errorf("%v in\n%s", got, page)
	}
	wantAll(t, page, "No se puede leer", "registro dañado", "aprobado · registro dañado", `Factura B <span class="number">0001-00000004`)
	page = m.get("/search").Body.String()
	if got := invoicesIn(page); len(got) != 4 || strings.Count(page, "<tr data-record") != 5 {
		t.Errorf("%v in\n%s", got, page)
	}
	wantAll(t, page, "No se puede leer a/1", "Aprobado · registro dañado")
	m.ReaderScope = readerOf(t, false)
	for _, path := range []string{"/search", asExchanges("/search"), "/search.csv"} {
		if answered := m.get(path); answered.Code != http.StatusOK || strings.Contains(answered.Body.String(), "No se puede leer") || !strings.Contains(answered.Body.String(), "00000001") {
			t.Errorf("%s of a reader of some issuers: %d\n%s", path, answered.Code, answered.Body)
		}
	}
}
