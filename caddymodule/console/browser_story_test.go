package console_test

import (
	"maps"
	"os"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/fielato/fielato/internal/testrun"
)

// TestInABrowser: the console in a real browser, in front of a gateway with all kinds of traffic. One
// browser and one gateway serve all tests. The short form finds, reads and proves an invoice; the long
// form has everything.
func TestInABrowser(t *testing.T) {
	b, p := startBrowser(t), newPlace(t)
	tests := map[string]func(*testing.T, *browser, *place){
		"an invoice":     testInvoice,
		"keyboard":       testKeyboard,
		"without script": testWithoutScript,
		"freshness":      testFresh,
		"a sheet":        testSheet,
		"witnesses":      testSheetWitnesses,
	}
	if testrun.Factor(t) > 0 {
		maps.Copy(tests, map[string]func(*testing.T, *browser, *place){
			"pages":         testPages,
			"languages":     testLanguages,
			"an outage":     testOutage,
			"hostile texts": testHostileTexts,
			"keys":          testKeys,
			"password":      testPassword,
			"headers":       testHeaders,
			"live":          testLive,
			"tabs":          testTabs,
			"alone":         testAlone,
			"saved":         testSaved,
			"copy":          testCopy,
			"mask":          testMask,
			"try":           testTry,
			"tasks":         testTasks,
		})
	}
	if os.Getenv("FIELATO_SCREENSHOTS") != "" {
		tests["pictures"] = testPictures
	}
	t.Run("together", func(t *testing.T) {
		for name, test := range tests {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				test(t, b, p)
			})
		}
	})
	// Others do not read while the database changes.
	t.Run("a changed byte", func(t *testing.T) { testProof(t, b, p) })
}

// testInvoice: a customer asks about an invoice. Who is asked has its CAE, and types it into the box.
func testInvoice(t *testing.T, b *browser, p *place) {
	tab := b.open(t, view{})
	tab.show(p.console, sheet{at: "/search"})
	tab.find(p.cae)
	tab.wantText("table.rows", "Factura B 0001-00000001", "20-11111111-2", "Aprobado", p.cae, "121,00")
	tab.follow(chromedp.Click(chromedp.CSS("table.rows tbody a")))
	if at := ask[string](tab, "location.href"); at != p.console+"/comprobante/20111111112/6/1/1?q="+p.cae {
		t.Errorf("the row leads to %s", at)
	}
	if back := ask[string](tab, `document.querySelector("main a").href`); back != p.console+"/search?q="+p.cae+"#row-20111111112/6/1/1" {
		t.Errorf("back leads to %s", back)
	}

	// What exactly was sent, and what was answered?
	tab.find(p.cae)
	tab.listExchanges()
	tab.wantText("table.rows", "Factura B 0001-00000001", "20-11111111-2", "aprobado", p.cae)
	tab.follow(chromedp.Click(chromedp.CSS("table.rows tbody a")))
	if at := ask[string](tab, "location.href"); at != p.console+exchange(p.approved)+"?list=exchanges&q="+p.cae {
		t.Errorf("the row leads to %s", at)
	}
	if back := ask[string](tab, `document.querySelector("main a").href`); back != p.console+"/search?list=exchanges&q="+p.cae+"#row-"+p.approved {
		t.Errorf("back leads to %s", back)
	}
	tab.wantText("h1", "Factura B 0001-00000001")
	tab.wantText("main", "aprobado", p.cae, "Llegó el pedido del cliente", "Se envió al servicio", "El servicio respondió", "20-11111111-2")
	ask[any](tab, `document.querySelectorAll("details").forEach(d => { d.open = true; })`)
	tab.wantText("main", `"ImpTotal":121.00`, `"CAE":"`+p.cae+`"`)
	if shown := tab.text("main"); strings.Contains(shown, "dG9rZW4tb2Yt") {
		t.Error("the page shows the Token")
	}

	// Why was the other one refused?
	tab.find("10048")
	tab.listExchanges()
	tab.follow(chromedp.Click(chromedp.CSS("table.rows tbody a")))
	tab.wantText("main", "rechazado por una regla", "ImpTotal es 120,00", "Se esperaba", "121", "Se recibió", "120", "Tolerancia", "no se envió nada")
	tab.wantText("li.found", "ImpTotal", "120", "10048", "Se esperaba", "121") // at the member

	// The address of a record leads to it at once, and so does the address of the page, sent to a
	// colleague.
	tab.find(p.lot)
	tab.wantText("h1", "0001-00000001 a 0001-00000003")
	tab.follow(chromedp.Reload())
	tab.wantText("h1", "0001-00000001 a 0001-00000003")
	tab.quiet()
}

// find types into the box, and waits for the page that Enter leads to.
func (p *tab) find(text string) {
	p.t.Helper()
	p.do(chromedp.Click(chromedp.CSS("input[type=search]")))
	ask[any](p, `document.querySelector("input[type=search]").select()`)
	p.do(press(text))
	p.follow(press(kb.Enter))
}

// listExchanges follows the switch above a list of invoices.
func (p *tab) listExchanges() {
	p.t.Helper()
	p.follow(chromedp.Click(chromedp.CSS("nav.lists a")))
}

// testWithoutScript: reading and searching need no script.
func testWithoutScript(t *testing.T, b *browser, p *place) {
	tab := b.open(t, view{noScript: true})
	tab.show(p.console, sheet{at: "/search"})
	if ask[bool](tab, `document.getElementById("show-keys").offsetParent !== null`) {
		t.Error("a button is shown that does nothing without script")
	}
	tab.find(p.cae)
	tab.listExchanges()
	tab.follow(chromedp.Click(chromedp.CSS("table.rows tbody a")))
	tab.wantText("main", "Factura B 0001-00000001", p.cae, "Llegó el pedido del cliente")
	tab.do(chromedp.Click(`//summary[contains(., "Bytes")]`))
	tab.wantText("main", `"ImpTotal":121.00`)
	for _, s := range p.templates() {
		tab.show(p.console, s)
		if shown := tab.text("main"); len(strings.TrimSpace(shown)) < 20 {
			t.Errorf("without script %s shows %q", s.name, shown)
		}
	}
}
