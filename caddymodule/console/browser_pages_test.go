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

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
)

// sheet is a page of the console.
type sheet struct {
	name   string
	at     string // below the console's path
	status int    // 200 if it is 0
	// ready is a condition after which the page's script has done its part; empty if there is none.
	ready string
	// another: another sheet has the same template. Tests of the template alone leave these out.
	another bool
}

// sheets are the pages that every test of pages looks at. A page that is added to the console stands here.
func (p *place) sheets() []sheet {
	all := []sheet{
		{name: "hoy", at: "/"},
		{name: "buscar", at: "/search"},
		{name: "encontrado", at: "/search?" + queryOf(p.cae), another: true},
		{name: "no-se-entiende", at: "/search?" + queryOf("Pérez 20111111113"), another: true},
		{name: "aprobado", at: exchange(p.approved), another: true},
		{name: "rechazado", at: exchange(p.refused)},
		{name: "lote", at: exchange(p.lot)},
		{name: "soap", at: exchange(p.soap), another: true},
		{name: "recuperado", at: exchange(p.recovered), another: true},
		{name: "abierto", at: exchange(p.open), another: true},
		{name: "mal-formado", at: exchange(p.malformed), another: true},
		{name: "sin-operacion", at: exchange(p.outside), another: true},
		{name: "prueba", at: "/proof/" + p.approved, ready: proven},
		{name: "prueba-rechazado", at: "/proof/" + p.refused, ready: proven, another: true},
		{name: "probar", at: "/try"},
		{name: "reglas", at: "/rules"},
		{name: "reglas-buscar", at: "/rules?q=iva&level=observe", another: true},
		{name: "regla", at: "/rules/10048"},
		{name: "regla-no-existe", at: "/rules/99999", status: http.StatusNotFound, another: true},
		{name: "caidas", at: "/outages"},
		{name: "no-existe", at: "/exchange/nadie/7", status: http.StatusNotFound},
	}
	return all
}

// templates are the sheets without those that share the template of another one.
func (p *place) templates() []sheet {
	return slices.DeleteFunc(p.sheets(), func(s sheet) bool { return s.another })
}

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

// widths are widths of screens, in pixels: from a telephone to a wall. The pictures are made with the last.
var widths = []int64{320, 360, 600, 768, 1024, 3840, 1280}

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
		for _, width := range widths {
			tab.resize(width)
			tab.fits(s.name)
		}
		tab.prefer("dark")
		tab.accessible(s.name+", dark", contrast)
		tab.prefer("light")
		tab.forgive(s)
		tab.quiet()
	}
}

// wantFrame fails the test unless the page has the frame that all have.
func (p *tab) wantFrame(name string) {
	p.t.Helper()
	if frame := p.text("body > header"); strings.Join(strings.Fields(frame), " ") != "Fielato Hoy Buscar Probar Reglas Caídas Buscar ? Teclas" {
		p.t.Errorf("%s: the frame says %q", name, frame)
	}
}

// testPictures takes pictures of every page in both schemes, on a wide and on a narrow screen.
func testPictures(t *testing.T, b *browser, p *place) {
	for _, scheme := range []string{"light", "dark"} {
		for _, width := range []int64{1280, 360} {
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
