package console_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// testTry: findings show while a reader types, and of a file of hundreds in a table. Nothing is sent and
// nothing recorded.
func testTry(t *testing.T, b *browser, p *place) {
	tab := b.open(t, view{})
	tab.show(p.console, sheet{at: "/try"})
	right := caddytest.LotText(40, 1, 1)
	wrong := strings.Replace(right, `"ImpTotal":121.00`, `"ImpTotal":120.00`, 1)
	paste := func(text string) {
		t.Helper()
		tab.do(chromedp.Focus(chromedp.CSS("#document")))
		ask[any](tab, `document.getElementById("document").select()`)
		call(tab, input.InsertText, input.InsertTextParams{Text: text})
	}
	paste(wrong)
	tab.until(`document.querySelector("#verdict article.finding")`)
	tab.wantText("#verdict", "10048", "Se esperaba", "121", "Se recibió", "120")
	tab.accessible("try, with findings", "{}")
	tab.fits("try, with findings")
	paste(right)
	tab.until(`!document.querySelector("#verdict article.finding")`)
	tab.wantText("#verdict", "CAE")
	tab.do(press("j/?k")) // keys write here, and do nothing else
	tab.wantFocus("document")

	const lines, bad = 300, 7
	var file strings.Builder
	for line := range lines {
		one := right
		if line%40 == 7 && line < 40*bad {
			one = wrong
		}
		fmt.Fprintln(&file, one)
	}
	paste(file.String())
	tab.until(`document.querySelector("#verdict a[download]")`)
	tab.wantText("#verdict", fmt.Sprint(lines), "10048")
	if rows := ask[int](tab, `document.querySelectorAll("#verdict tbody tr").length`); rows != bad {
		t.Errorf("the table has %d rows, want the %d with findings", rows, bad)
	}
	tab.accessible("try, a file", "{}")
	tab.resize(360)
	tab.fits("try, a file")
	tab.quiet()

	tab.find(caddytest.IssuerOf(40).String())
	tab.wantText("main", "No hay")
	refused := p.Post("FECAESolicitar", wrong).Header.Get("Wsfev1-Record")
	for _, noScript := range []bool{false, true} {
		testOpened(b.open(t, view{noScript: noScript}), p, refused)
	}
}

// testOpened: a refused request opens, a figure is written into it, and nothing is sent or recorded. No other test sends
// in the name of its issuer.
func testOpened(tab *tab, p *place, refused string) {
	tab.t.Helper()
	records := func() int {
		tab.show(p.console, sheet{at: "/search?list=exchanges&" + queryOf(caddytest.IssuerOf(40).String())})
		return ask[int](tab, `document.querySelectorAll("table.rows tbody tr").length`)
	}
	before := records()
	tab.show(p.console, sheet{at: exchange(refused)})
	tab.follow(chromedp.Click(chromedp.CSS(`a[href$="/try/` + refused + `"]`)))
	tab.wantText("#verdict", "ImpTotal: 121,00 en lugar de 120,00")
	use := chromedp.Click(chromedp.CSS("#verdict button[name=use]"))
	if tab.view.noScript {
		tab.follow(use)
	} else {
		tab.until(`!document.querySelector("#verdict[aria-busy]")`) // the script has judged it again
		tab.do(use)
		tab.until(`document.querySelector("#verdict .outcome.good, #verdict .outcome.open")`)
	}
	tab.wantText("#verdict", "Se escribió ImpTotal: 121,00 en lugar de 120,00.", "Desde aquí no se envía")
	box := ask[string](tab, `document.getElementById("document").value`)
	if !strings.Contains(box, `"ImpTotal": 121.00,`) || strings.Contains(box, "Token") {
		tab.t.Errorf("the box has\n%s", box)
	}
	if !tab.view.noScript {
		tab.wantText("#verdict", "Copiar el pedido")
		tab.accessible("try, a refused request", "{}")
		tab.photograph("probar-usado-1280.png")
		tab.resize(390)
		tab.fits("try, a refused request")
		tab.photograph("probar-usado-390.png")
	}
	tab.quiet()
	if after := records(); after != before {
		tab.t.Errorf("%d records became %d", before, after)
	}
}
