package console_test

import (
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/internal/testrun"
	"github.com/fielato/fielato/wsfev1"
)

// sheet is a page of the console.
type sheet struct {
	name   string
	at     string // below the console's path
	status int    // 200 if it is 0
	// ready is a condition after which the page's script has done its part; empty if there is none.
	ready string
	// another: another sheet has the same template. Tests of the template alone leave these out. Below
	// FIELATO_TEST_LONG=1 their colours and widths are not all tried.
	another bool
}

// sheets are the pages that every test of pages looks at. A page that is added to the console stands here.
func (p *place) sheets() []sheet {
	all := []sheet{
		{name: "hoy", at: "/"},
		{name: "buscar", at: "/search"},
		{name: "intercambios", at: "/search?list=exchanges", another: true},
		{name: "causas", at: "/causes"},
		{name: "encontrado", at: "/search?" + queryOf(p.cae), another: true},
		{name: "filtrado", at: "/search?outcome=approved&" + queryOf("20-11111111-2"), another: true},
		{name: "no-se-entiende", at: "/search?" + queryOf("Pérez 20111111113"), another: true},
		{name: "aprobado", at: exchange(p.approved), another: true},
		{name: "rechazado", at: exchange(p.refused)},
		{name: "lote", at: exchange(p.lot)},
		{name: "soap", at: exchange(p.soap), another: true},
		{name: "dolares", at: exchange(p.dollars), another: true},
		{name: "comprobante-dolares", at: fmt.Sprintf("/comprobante/%s/6/%d/1", caddytest.IssuerOf(8), caddytest.PointOf(8)), another: true},
		{name: "recuperado", at: exchange(p.recovered), another: true},
		{name: "abierto", at: exchange(p.open), another: true},
		{name: "mal-formado", at: exchange(p.malformed), another: true},
		{name: "sin-operacion", at: exchange(p.outside), another: true},
		{name: "comprobante", at: "/comprobante/20111111112/6/1/1"},
		{name: "comprobante-no-consta", at: "/comprobante/20111111112/6/1/99999", status: http.StatusNotFound, another: true},
		{name: "prueba", at: "/proof/" + p.approved, ready: proven},
		{name: "prueba-rechazado", at: "/proof/" + p.refused, ready: proven, another: true},
		{name: "cierre", at: "/month?month=" + presentMonth()},
		{name: "cierre-no-se-entiende", at: "/month?month=x", status: http.StatusBadRequest, another: true},
		{name: "probar", at: "/try"},
		{name: "probar-rechazado", at: "/try/" + p.refused, ready: `document.querySelector("#verdict article.finding")`, another: true},
		{name: "reglas", at: "/rules"},
		{name: "reglas-buscar", at: "/rules?q=iva&level=observe", another: true},
		{name: "regla", at: "/rules/10048"},
		{name: "regla-no-existe", at: "/rules/99999", status: http.StatusNotFound, another: true},
		{name: "caidas", at: "/outages"},
		{name: "lecturas", at: "/readings"},
		{name: "no-existe", at: "/exchange/nadie/7", status: http.StatusNotFound},
	}
	return all
}

// templates are the sheets without those that share the template of another one.
func (p *place) templates() []sheet {
	return slices.DeleteFunc(p.sheets(), func(s sheet) bool { return s.another })
}

// presentMonth is the month in which the trails of tests have their records.
func presentMonth() string { return time.Now().In(wsfev1.Argentina).Format("2006-01") }

func queryOf(text string) string { return url.Values{"q": {text}}.Encode() }

// show opens a page of the place, as one that a reader was sent the address of.
func (p *tab) show(base string, s sheet) {
	p.t.Helper()
	status := p.goTo(base + s.at)
	if want := int(defaulted(int64(s.status), http.StatusOK)); status != want {
		p.t.Errorf("%s: status %d, want %d", s.name, status, want)
	}
	if s.ready != "" && !p.view.noScript {
		p.until(s.ready)
	}
}

// fits fails the test if the page is wider than the window. A page may take a moment for it: a script
// hears of a new width when the browser draws the next time.
func (p *tab) fits(name string) {
	p.t.Helper()
	if wide := ask[[]int](p, `new Promise(done => { let looks = 0; (function look() {
		const wide = document.documentElement.scrollWidth;
		if (wide <= innerWidth || ++looks > 200) { done([wide, innerWidth]); } else { setTimeout(look, 10); }
	})(); })`); wide[0] > wide[1] {
		p.t.Errorf("%s: %d pixels wide in a window of %d: %s", name, wide[0], wide[1], ask[string](p, widest))
	}
}

// widest names the elements that stick out.
const widest = `Array.from(document.querySelectorAll("body *")).filter(e => e.getBoundingClientRect().right > innerWidth + 1 && !e.closest(".wide"))
	.slice(0, 5).map(e => e.tagName + "." + e.className + " " + Math.round(e.getBoundingClientRect().right)).join(", ")`

// whole fails the test if a number that people read in one piece, a CUIT or an invoice number, is parted between two
// lines, or if a table of rows must be moved sideways to be read.
func (p *tab) whole(name string, width int64) {
	p.t.Helper()
	for _, parted := range ask[[]string](p, `(() => {
		const parted = [], texts = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
		for (let text = texts.nextNode(); text; text = texts.nextNode()) {
			if (text.parentElement.closest("pre, code, textarea, script, option")) { continue; }
			for (const found of text.data.matchAll(/\d{2}-\d{8}-\d|\d{4,5}-\d{8}/g)) {
				const range = document.createRange();
				range.setStart(text, found.index);
				range.setEnd(text, found.index + found[0].length);
				if (new Set(Array.from(range.getClientRects(), r => Math.round(r.top))).size > 1) { parted.push(found[0] + " in " + text.parentElement.outerHTML.slice(0, 120)); }
			}
		}
		for (const wide of document.querySelectorAll("main .wide:has(> table.rows)")) {
			if (wide.scrollWidth > wide.clientWidth + 1) { parted.push("a table of " + wide.scrollWidth + " pixels"); }
		}
		return parted;
	})()`) {
		p.t.Errorf("%s, %d pixels: %s", name, width, parted)
	}
}

// widths are widths of screens, in pixels: from a telephone to a wall. The pictures are made with the last.
var widths = []int64{320, 390, 600, 768, 1024, 3840, 1280}

// testPages: every page comes quickly and fits every screen, people who see badly can read it in both
// schemes, and the browser has nothing to complain about.
func testPages(t *testing.T, b *browser, p *place) {
	tab := b.open(t, view{})
	call(tab, network.SetCacheDisabled, network.SetCacheDisabledParams{CacheDisabled: true})
	for _, s := range p.sheets() {
		tab.show(p.console, s)
		tab.light(s.name)
		if got := ask[string](tab, "document.documentElement.lang"); got != "es" {
			t.Errorf("%s is in %s", s.name, got)
		}
		tab.wantFrame(s.name)
		tab.accessible(s.name, "{}")
		if !s.another || testrun.Factor(t) >= 1 {
			tab.adapts(s)
		} else {
			tab.resize(widths[0])
			tab.fits(s.name)
			tab.resize(widths[len(widths)-1])
		}
		tab.forgive(s)
		tab.quiet()
	}
}

// adapts fails the test unless the page fits every width, and can be read in dark colours.
func (p *tab) adapts(s sheet) {
	p.t.Helper()
	for _, width := range widths {
		p.resize(width)
		p.fits(s.name)
		if width >= 360 {
			p.whole(s.name, width)
		}
		if width == 768 {
			p.accessible(s.name+", as cards", "{}")
		}
	}
	p.prefer("dark")
	p.accessible(s.name+", dark", contrast)
	p.prefer("light")
}

// wantFrame fails the test unless the page has the frame that all have.
func (p *tab) wantFrame(name string) {
	p.t.Helper()
	if frame := p.text("body > header"); strings.Join(strings.Fields(frame), " ") != "Fielato Hoy Buscar Cierre Probar Reglas Caídas Lecturas Buscar ? Atajos de teclado" {
		p.t.Errorf("%s: the frame says %q", name, frame)
	}
}

// testPictures takes pictures of every page in both schemes, on a wide and on a narrow screen.
func testPictures(t *testing.T, b *browser, p *place) {
	for _, scheme := range []string{"light", "dark"} {
		for _, width := range []int64{1280, 1024, 768, 390} {
			tab := b.open(t, view{width: width})
			tab.prefer(scheme)
			for _, s := range p.sheets() {
				tab.show(p.console, s)
				tab.photograph(fmt.Sprintf("%s-%d-%s.png", s.name, width, scheme))
			}
		}
	}
}

// testLanguages: the pages are in Spanish unless the browser asks for English.
func testLanguages(t *testing.T, b *browser, p *place) {
	for language, want := range map[string]string{"pt-BR, fr": "es", "es-AR, en;q=0.9": "es", "en-US, es;q=0.5": "en"} {
		tab := b.open(t, view{language: language})
		for _, s := range p.templates() {
			tab.show(p.console, s)
			if got := ask[string](tab, "document.documentElement.lang"); got != want {
				t.Errorf("%q: %s is in %s", language, s.name, got)
			}
			tab.forgive(s)
			tab.quiet()
			if want == "es" {
				break // one page is as good as all: the frame chooses
			}
			tab.wantText("form[role=search] button", "Search")
		}
	}
}

// photograph writes a picture of the page into the folder that FIELATO_SCREENSHOTS names, for a person to
// look at.
func (p *tab) photograph(name string) {
	p.t.Helper()
	folder := os.Getenv("FIELATO_SCREENSHOTS")
	if folder == "" {
		return
	}
	picture := call(p, page.CaptureScreenshot, page.CaptureScreenshotParams{CaptureBeyondViewport: new(true)})
	if err := os.MkdirAll(folder, 0o755); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, name), picture.Data, 0o644); err != nil {
		p.t.Fatal(err)
	}
}

// forgive drops the browser's complaint about an answer whose status is meant to differ from 200.
func (p *tab) forgive(s sheet) {
	if s.status == 0 {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.complaints = slices.DeleteFunc(p.complaints, func(complaint string) bool {
		return strings.Contains(complaint, fmt.Sprintf("status of %d", s.status)) && strings.Contains(complaint, s.at)
	})
}
