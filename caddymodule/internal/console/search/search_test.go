package search

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/console/search/listing"
	"github.com/fielato/fielato/internal/audittest"
	"github.com/fielato/fielato/wsfev1"
)

const (
	ours   = wsfev1.CUIT(20111111112)
	theirs = wsfev1.CUIT(30000000007)
)

// TestWhatAPersonWrites into the box, and the filters beside it, find what `audit search` finds.
func TestWhatAPersonWrites(t *testing.T) {
	store := newStore(t)
	refused := invoice(theirs, 1, 4, 3)
	refused.Outcome, refused.Decision, refused.Certainty, refused.Status, refused.Resultado = "refused", "refuse", audit.NotSent, 400, "R"
	refused.ClientAddress, refused.ClientIdentity, refused.Node, refused.Upstream = "192.0.2.8", "ana", "node-2", ""
	refused.Vouchers[0].Code, refused.TraceID, refused.Duration = "", audit.TraceID{15: 7}, 40e9
	refused.Findings = []audit.Finding{{Code: "10048", Severity: "ERR", Action: "refuse"}, {Code: "shape.required", Severity: "SHAPE", Action: "refuse"}}
	open := invoice(ours, 6, 5, 4)
	open.Kind, open.Outcome, open.Certainty, open.Status, open.Vouchers[0].Code = audit.KindIntent, "", "", 0, ""
	write(t, store, "a", invoice(ours, 6, 1, 0), invoice(ours, 8, 1, 1), invoice(theirs, 6, 1, 2), refused, open)
	m := newWorld(store)
	for query, want := range map[string]string{
		"":                                       "a/4 a/3 a/2 a/1 a/0",
		"q=76470000000001":                       "a/2 a/1 a/0",
		"q=6-1-1":                                "a/2 a/0",
		"q=B+0001-00000001":                      "a/2 a/1 a/0",
		"q=B+0001-00000001&cuit=20-11111111-2":   "a/1 a/0",
		"q=B+0001-00000001&cbte-tipo=8":          "a/1",
		"q=0001-00000004":                        "a/3",
		"q=20-11111111-2":                        "a/4 a/1 a/0",
		"q=10048":                                "a/3",
		"q=shape.required":                       "a/3",
		"q=22/11/2026":                           "a/4 a/3 a/2 a/1 a/0",
		"q=21/11/2026":                           "",
		"q=00000000-0000-4000-8000-000000000004": "a/3",
		"q=CAE+76470000000001+CUIT+30-00000000-7":  "a/2",
		"cuit=30000000007":                         "a/3 a/2",
		"pto-vta=1&nro=4":                          "a/3",
		"nro=4":                                    "a/3",
		"cbte-tipo=8":                              "a/1",
		"cae=76470000000001&cbte-tipo=6":           "a/2 a/0",
		"operation=FECAESolicitar&outcome=refused": "a/3",
		"certainty=not_sent":                       "a/3",
		"decision=refuse":                          "a/3",
		"resultado=R":                              "a/3",
		"finding=10048":                            "a/3",
		"status=400":                               "a/3",
		"min-duration=30s":                         "a/3",
		"id=00000000-0000-4000-8000-000000000005":  "a/4",
		"trace=00000000000000000000000000000007":   "a/3",
		"client=192.0.2.8":                         "a/3",
		"identity=ana":                             "a/3",
		"upstream=service:443&cuit=20111111112&kind=intent": "a/4",
		"node=node-2":  "a/3",
		"kind=intent":  "a/4",
		"outcome=open": "a/4",
		// readings have a page of their own
		"since=2026-11-22T12:00:02-03:00&until=2026-11-22T12:00:04-03:00": "a/3 a/2",
		"since=1h&until=2026-11-23":                                       "a/4 a/3 a/2 a/1 a/0",
		"log=a&q=10048":                                                   "a/3",
		"q=20-11111111-2&cuit=30-00000000-7":                              "", // both cannot hold
		"q=zzz":                                                           "",
		"cuit=zzz":                                                        "",
		"nro=-1":                                                          "",
		"outcome=zzz":                                                     "",
		"kind=zzz":                                                        "",
	} {
		answered := m.exchanges("/search?" + query)
		if got := strings.Join(rowsOf(answered.Body.String()), " "); got != want || answered.Code != http.StatusOK {
			t.Errorf("%s: %d %s, want %s", query, answered.Code, got, want)
		}
	}
	if answered := m.get("/search?log=zzz"); answered.Code != http.StatusNotFound {
		t.Errorf("another log: %d", answered.Code)
	}
	if answered := m.get("/search?q=a/17"); answered.Code != http.StatusSeeOther || answered.Header().Get("Location") != "/consola/exchange/a/17" {
		t.Errorf("the address of a record: %d %v", answered.Code, answered.Header())
	}
	if answered := m.get("/search?at=zzz"); answered.Code != http.StatusBadRequest {
		t.Errorf("no place: %d", answered.Code)
	}
}

// TestAClassFindsWhatOnlyItsIntentNames: some outcomes repeat nothing of their intents.
func TestAClassFindsWhatOnlyItsIntentNames(t *testing.T) {
	store := newStore(t)
	intent := invoice(ours, 6, 9, 0)
	intent.Kind = audit.KindIntent
	outcome := &audit.Record{Kind: audit.KindOutcome, Time: noon, ID: intent.ID, Outcome: "unknown", Certainty: audit.Unknown}
	write(t, store, "a", intent, outcome)
	m := newWorld(store)
	for _, query := range []string{"q=B+0001-00000009", "q=B+0001-00000009+20111111112", "q=6-1-9"} {
		page := m.exchanges("/search?" + query).Body.String()
		if got := rowsOf(page); !slices.Equal(got, []string{"a/1"}) {
			t.Errorf("%s: %v", query, got)
		}
		wantAll(t, page, "Factura B 0001-00000009", "20-11111111-2", "30-00000000-7", "1.234,50", "sin respuesta")
	}
	if page := m.exchanges("/search?q=A+0001-00000009").Body.String(); len(rowsOf(page)) > 0 {
		t.Error("another class finds it")
	}
}

// TestPagesLoseNothingAndRepeatNothing, although all exchanges began at three moments, in several logs and
// stores, two of which have the same name, and more come meanwhile. The way back leads over the same pages.
func TestPagesLoseNothingAndRepeatNothing(t *testing.T) {
	first, second := audittest.NewMemory(), audittest.NewMemory()
	want := map[string]int{}
	for i := range 60 {
		log := []string{"a", "b", "c"}[i%3]
		store := first
		if i%2 == 1 {
			store = second
		}
		r := invoice(ours, 6, int64(i+1), i%7%3) // not in the order of the times
		write(t, store, log, r)
		want[fmt.Sprintf("7647%010d", i+1)]++
	}
	m := newWorld(first, second)
	m.pageRows = 7
	got, pages := map[string]int{}, []string{}
	for at := asExchanges("/search?cuit=20111111112"); at != ""; {
		page := m.get(at).Body.String()
		pages = append(pages, fmt.Sprint(codesOf(page)))
		for _, code := range codesOf(page) {
			got[code]++
		}
		write(t, first, "a", invoice(ours, 6, int64(1000+len(pages)), 9))
		if at = linkOf(page, "next"); at == "" {
			for i := len(pages) - 2; i > 0; i-- { // the first page has new ones
				page = m.get(linkOf(page, "prev")).Body.String()
				if again := fmt.Sprint(codesOf(page)); again != pages[i] {
					t.Errorf("page %d was %s, and is %s on the way back", i, pages[i], again)
				}
			}
			wantAll(t, page, "Más nuevos", "continuación")
		}
	}
	if len(pages) != 9 || len(got) != len(want) {
		t.Errorf("%d pages with %d of %d", len(pages), len(got), len(want))
	}
	for code, n := range want {
		if got[code] != n {
			t.Errorf("%s is there %d times", code, got[code])
		}
	}
}

// TestLogsOfTheSameNameHaveTheirOwnAddresses.
func TestLogsOfTheSameNameHaveTheirOwnAddresses(t *testing.T) {
	first, second := audittest.NewMemory(), audittest.NewMemory()
	write(t, first, "a", invoice(ours, 6, 1, 0))
	write(t, second, "a", invoice(ours, 6, 2, 1))
	if got := rowsOf(newWorld(first, second).exchanges("/search").Body.String()); !slices.Equal(got, []string{"a:2/0", "a/0"}) {
		t.Errorf("%v", got)
	}
}

// TestWhatTheBuiltInServiceIssuesIsMarked.
func TestWhatTheBuiltInServiceIssuesIsMarked(t *testing.T) {
	store := newStore(t)
	tried := invoice(ours, 6, 1, 0)
	tried.Upstream = "wsfev1_backend"
	write(t, store, "a", tried)
	write(t, store, "a", invoice(ours, 6, 2, 1))
	m := newWorld(store)
	for path, text := range map[string]string{"/search": "aprobado · sin validez fiscal", "/search.csv": "aprobado · sin validez fiscal"} {
		if n := strings.Count(m.exchanges(path).Body.String(), text); n != 1 {
			t.Errorf("%s has %d marks", path, n)
		}
	}
}

// codesOf returns the CAEs in a page.
func codesOf(page string) (codes []string) {
	for _, part := range strings.Split(page, "<bdi>7647")[1:] {
		codes = append(codes, "7647"+part[:10])
	}
	return codes
}

// TestASlowSearchSaysHowFarItCame, and goes on there: where no index serves the request, a page looks for a
// bounded time.
func TestASlowSearchSaysHowFarItCame(t *testing.T) {
	store := newStore(t)
	var batch []*audit.Record
	for i := range 3 * listing.FirstPart {
		r := &audit.Record{Kind: audit.KindExchange, Time: noon, Operation: "FEDummy", Outcome: "answered", ClientAddress: "192.0.2.7"}
		if i == 5 {
			r.ClientAddress = "192.0.2.9"
		}
		batch = append(batch, r)
	}
	write(t, store, "a", batch...)
	m := newWorld(store)
	m.patience = 0
	at, pages := asExchanges("/search?client=192.0.2.9"), 0
	for ; at != "" && pages < 9; pages++ {
		page := m.get(at).Body.String()
		if at = linkOf(page, "next"); at == "" {
			if got := rowsOf(page); !slices.Equal(got, []string{"a/5"}) {
				t.Errorf("found %v", got)
			}
			continue
		}
		wantAll(t, page, "Seguir buscando", "Se buscó desde lo más nuevo hasta 22/11/2026 12:00:00", "Hasta aquí no hay")
	}
	if pages != 3 {
		t.Errorf("%d pages", pages)
	}
}

// TestAnInvoiceOfAnUnnamedIssuer is found, whoever issued it and whatever else is in the trail.
func TestAnInvoiceOfAnUnnamedIssuer(t *testing.T) {
	store := newStore(t)
	batch := []*audit.Record{invoice(theirs, 6, 77, 0), invoice(theirs, 6, 78, 0)}
	for i := range 100 { // more issuers than could be tried one after the other, two types each
		batch = append(batch, invoice(wsfev1.CUIT(20200000000+i), []int32{6, 11}[i%2], 80, 1))
	}
	for i := range 700 {
		batch = append(batch, invoice(ours, 6, int64(i+1), i))
	}
	write(t, store, "a", batch...)
	m := newWorld(store)
	m.patience, m.pageRows = 0, 200
	for query, want := range map[string][]string{"q=6-1-77": {"a/178", "a/0"}, "q=0001-00000078": {"a/179", "a/1"}, "q=B+1-78": {"a/179", "a/1"}, "q=C+1-78": nil, "q=6-1-1500": nil} {
		page := m.exchanges("/search?" + query).Body.String()
		if got := rowsOf(page); !slices.Equal(got, want) {
			t.Errorf("%s: found %v", query, got)
		}
		wantNone(t, page, "Hasta aquí no hay", "Seguir buscando")
		if page := `href="/consola/comprobante/`; strings.Count(m.exchanges("/search?"+query).Body.String(), page) != min(len(want), 2) {
			t.Errorf("%s: not each invoice has a link to its page", query)
		}
	}
	for query, want := range map[string]int{"q=1-80": 101, "q=B+1-80": 51, "q=C+1-80": 50, "pto-vta=1&nro=80&cbte-tipo=11": 50} {
		if got := rowsOf(m.exchanges("/search?" + query).Body.String()); len(got) != want {
			t.Errorf("%s: %d rows, want %d", query, len(got), want)
		}
	}
}

// flushed is an answer that knows what had been sent when it was first flushed.
type flushed struct {
	*httptest.ResponseRecorder
	first string
}

func (f *flushed) Flush() {
	if f.first == "" {
		f.first = f.Body.String()
	}
}

// TestTheHeadComesBeforeTheSearch: the reader sees box, title and filters while the trail is searched.
func TestTheHeadComesBeforeTheSearch(t *testing.T) {
	store := newStore(t)
	write(t, store, "a", invoice(ours, 6, 1, 0))
	answered := &flushed{ResponseRecorder: httptest.NewRecorder()}
	newWorld(store).ServeHTTP(answered, httptest.NewRequest(http.MethodGet, "/consola/search?q=10048&list=exchanges", nil))
	wantAll(t, answered.first, "<title>10048", "<h1>10048", "Más filtros")
	wantNone(t, answered.first, "</html>")
	wantAll(t, answered.Body.String(), "</html>", "No hay intercambios que coincidan")
}

var valueOf = regexp.MustCompile(` value="[^"]*"`)

// TestHostileTexts of clients and of the service stay texts, however long.
func TestHostileTexts(t *testing.T) {
	const hostile = "<script>alert(1)</script>\u202e\x00=cmd()"
	store := newStore(t)
	r := invoice(ours, 6, 1, 0)
	r.Vouchers[0].Code, r.Outcome, r.ID = hostile, hostile, hostile
	r.Findings = []audit.Finding{{Code: strings.Repeat(hostile, 4000), Action: "refuse"}}
	other := invoice(ours, 6, 1, 1)
	other.Vouchers, other.Operation, other.Request = nil, hostile, []byte(`{"FeCAEReq":[{"FeDetReq":7}]}`)
	write(t, store, "a", r, other)
	m := newWorld(store)
	for _, path := range []string{"/search", "/search?q=%3Cscript%3Ealert(1)%3C/script%3E%E2%80%AE", "/search?client=%3Cscript%3Ealert(1)%3C/script%3E", "/search?cbte-tipo=%3Cscript%3E&q=a&log=" + strings.Repeat("x", 5000)} {
		answered := m.get(path)
		if answered.Code != http.StatusOK && !strings.Contains(path, "log=") {
			t.Errorf("%s: %d", path, answered.Code)
		}
		page := valueOf.ReplaceAllString(answered.Body.String(), "") // what readers have written themselves
		wantNone(t, page, "<script>alert", "\u202e", "\x00")
		if len(page) > 40<<10 {
			t.Errorf("%s: %d bytes", path, len(page))
		}
	}
}

// TestQuestionsOfTheGatewaySayThatTheyAreIts: they are about an invoice, and issued nothing.
func TestQuestionsOfTheGatewaySayThatTheyAreIts(t *testing.T) {
	store := audittest.NewMemory()
	question := invoice(20111111112, 6, 1, 0)
	question.Operation, question.Decision, question.Outcome = "FECompConsultar", "ask", "unknown"
	write(t, store, "gateway-1", invoice(20111111112, 6, 2, 1), question)
	page := newWorld(store).exchanges("/search").Body.String()
	if n := strings.Count(page, "consulta de la pasarela"); n != 1 {
		t.Errorf("%d rows are questions:\n%s", n, page)
	}
}
