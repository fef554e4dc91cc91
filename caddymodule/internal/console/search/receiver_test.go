package search

import (
	"fmt"
	"html"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/wsfev1"
)

// sold returns an invoice for a receiver.
func sold(cuit wsfev1.CUIT, number int64, seconds, docTipo int, docNro int64) *audit.Record {
	r := invoice(cuit, 6, number, seconds)
	r.Request = fmt.Appendf(nil, `{"FeCAEReq":{"FeDetReq":{"FECAEDetRequest":[{"DocTipo":%d,"DocNro":%d,"CbteDesde":%d,"ImpTotal":10,"MonId":"PES"}]}}}`, docTipo, docNro, number)
	return r
}

// readingsOf returns the readings of a page as a reader sees them, without the links.
func readingsOf(page string) string {
	text := between(page, `<p class="note readings">`, "</p>")
	for _, tag := range []string{"<strong>", "</strong>", "</a>"} {
		text = strings.ReplaceAll(text, tag, "")
	}
	for strings.Contains(text, "<a ") {
		before, rest, _ := strings.Cut(text, "<a ")
		_, after, _ := strings.Cut(rest, ">")
		text = before + after
	}
	return text
}

// TestWhoBoughtFindsTheInvoice: a CUIT of an issuer or a receiver, a DNI, a number.
func TestWhoBoughtFindsTheInvoice(t *testing.T) {
	store := newStore(t)
	write(t, store, "a", sold(ours, 1, 0, 80, 30500010912), sold(ours, 2, 1, 96, 12345678), sold(ours, 12345678, 2, 99, 0), sold(theirs, 4, 3, 80, int64(ours)), sold(theirs, 5, 86_400, 96, 20261122))
	m := newWorld(store)
	for query, want := range map[string]struct {
		rows     []string
		readings string
	}{
		"q=30-50001091-2":                      {[]string{"a/0"}, "Puede ser: emisor (0) · receptor (1)"},
		"q=30500010912":                        {[]string{"a/0"}, "Puede ser: emisor (0) · receptor (1)"},
		"q=20-11111111-2":                      {[]string{"a/2", "a/1", "a/0"}, "Puede ser: emisor (3) · receptor (1)"},
		"q=receptor+20-11111111-2":             {[]string{"a/3"}, ""},
		"q=30-00000000-7+20-11111111-2":        {[]string{"a/3"}, "Puede ser: emisor (1) · receptor (0)"}, // with the other one as receiver, or issuer
		"q=12345678":                           {[]string{"a/1"}, "Puede ser: receptor (1) · número de comprobante (1)"},
		"q=DNI+12.345.678":                     {[]string{"a/1"}, ""},
		"q=20261122":                           {[]string{"a/3", "a/2", "a/1", "a/0"}, "Puede ser: día (4) · receptor (1) · número de comprobante (0)"},
		"receiver=30-50001091-2":               {[]string{"a/0"}, ""},
		"receiver=12345678&cuit=30-00000000-7": {nil, ""},
		"receiver=x":                           {nil, ""},
		"q=27-00000000-6":                      {nil, "Puede ser: emisor (0) · receptor (0)"},
	} {
		page := m.exchanges("/search?" + query).Body.String()
		if got := rowsOf(page); !slices.Equal(got, want.rows) || readingsOf(page) != want.readings {
			t.Errorf("%s: found %v; %q, want %v; %q", query, got, readingsOf(page), want.rows, want.readings)
		}
	}
}

// TestTheOtherReadingIsALink that finds what its count says, and goes on in files and live.
func TestTheOtherReadingIsALink(t *testing.T) {
	store := newStore(t)
	write(t, store, "a", sold(theirs, 4, 3, 80, int64(ours)), sold(ours, 1, 4, 96, 12345678))
	m := newWorld(store)
	page := m.exchanges("/search?q=20-11111111-2&kind=exchange").Body.String()
	address := html.UnescapeString(between(page, `emisor</strong> (1) · <a href="/consola`, `"`))
	if got := rowsOf(m.get(address).Body.String()); !slices.Equal(got, []string{"a/0"}) || !strings.Contains(address, "kind=exchange") {
		t.Errorf("%s finds %v", address, got)
	}
	// One that stands in for the first is in all links of the page.
	page = m.exchanges("/search?q=12345678").Body.String()
	csv := html.UnescapeString(between(page, `<a href="/consola/search.csv`, `"`))
	if got := m.get("/search.csv" + csv).Body.String(); !strings.Contains(got, "DNI 12.345.678") {
		t.Errorf("%s has %s", csv, got)
	}
}

// TestReceiversThatAreHiddenAreNotSearchedFor: the rows would tell who they are.
func TestReceiversThatAreHiddenAreNotSearchedFor(t *testing.T) {
	store := newStore(t)
	write(t, store, "a", sold(ours, 1, 0, 96, 12345678), sold(ours, 2, 1, 80, int64(ours)))
	for _, hide := range []func(*room){func(m *room) { m.ReaderScope = readerOf(t, true) }, func(m *room) { m.MaskAll = true }} {
		m := newWorld(store)
		hide(m)
		for _, query := range []string{"q=12345678", "q=dni+12345678", "receiver=12345678", "q=20-11111111-2+12345678", "q=receptor+20111111112", "q=hoy+12.345.678"} {
			page := m.exchanges("/search?" + query).Body.String()
			if len(rowsOf(page)) > 0 {
				t.Errorf("%s finds", query)
			}
			wantAll(t, page, "están ocultos para usted")
			for _, path := range []string{"/search.csv?", "/search/live?"} {
				if answered := m.get(path + query); answered.Code != http.StatusBadRequest {
					t.Errorf("%s%s: %d", path, query, answered.Code)
				}
			}
		}
		page := m.exchanges("/search?q=20-11111111-2").Body.String()
		if len(rowsOf(page)) != 2 || readingsOf(page) != "" {
			t.Errorf("an issuer: %v, %q", rowsOf(page), readingsOf(page))
		}
	}
}

// TestUntilHasItsDay on the page and in the file, as in the commands.
func TestUntilHasItsDay(t *testing.T) {
	store := newStore(t)
	write(t, store, "a", invoice(ours, 6, 1, 0), invoice(ours, 6, 2, 86_400), invoice(ours, 6, 3, 2*86_400))
	m := newWorld(store)
	for query, want := range map[string]int{
		"since=2026-11-22&until=2026-11-22": 1, "until=22/11/2026": 1, "until=2026-11-23": 2, "since=23/11/2026&until=2026-11": 2, "since=2026-12": 0,
		"until=2026-11-22T12:00": 0, "until=2026-10": 0, "since=noviembre+2026": 3,
	} {
		if got := rowsOf(m.exchanges("/search?" + query).Body.String()); len(got) != want {
			t.Errorf("%s: %v", query, got)
		}
		if got := strings.Count(m.exchanges("/search.csv?"+query).Body.String(), "\r\n") - 1; got != want {
			t.Errorf("%s: %d rows in the file", query, got)
		}
	}
}

// TestChipsTakeAwayOneThing each, and leave the others.
func TestChipsTakeAwayOneThing(t *testing.T) {
	store := newStore(t)
	write(t, store, "a", invoice(ours, 6, 1, 0))
	page := newWorld(store).get("/search?q=hoy&cuit=20-11111111-2&outcome=approved").Body.String()
	chips := html.UnescapeString(between(page, `<ul class="chips"`, "</ul>"))
	wantAll(t, chips,
		`Texto: <bdi>hoy</bdi> <a href="/consola/search?cuit=20-11111111-2&outcome=approved"`,
		`CUIT del emisor: <bdi>20-11111111-2</bdi> <a href="/consola/search?outcome=approved&q=hoy"`,
		`Resultado: <bdi>aprobado</bdi> <a href="/consola/search?cuit=20-11111111-2&q=hoy"`, `aria-label="Quitar Resultado"`)
	wantNone(t, newWorld(store).get("/search").Body.String(), `class="chips"`)
}

// TestRowsLeadBackToTheirSearch.
func TestRowsLeadBackToTheirSearch(t *testing.T) {
	store := newStore(t)
	write(t, store, "a", invoice(ours, 6, 1, 0))
	page := newWorld(store).exchanges("/search?q=hoy&cuit=20111111112").Body.String()
	wantAll(t, html.UnescapeString(page), `id="row-a/0"`, `<a href="/consola/exchange/a/0?cuit=20111111112&list=exchanges&q=hoy">`)
	wantAll(t, newWorld(store).exchanges("/search").Body.String(), `<a href="/consola/exchange/a/0?list=exchanges">`)
}
