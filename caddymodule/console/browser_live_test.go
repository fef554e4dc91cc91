package console_test

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// testLive: a reader who follows the gateway sees an invoice as it comes.
func testLive(t *testing.T, b *browser, p *place) {
	cuit := fmt.Sprint(caddytest.IssuerOf(6))
	tab := b.open(t, view{})
	tab.show(p.console, sheet{at: "/search?" + queryOf(cuit)})
	tab.do(chromedp.Click(chromedp.CSS("#live")))
	tab.until(`document.getElementById("live-state").textContent !== ""`)
	tab.wantText("#live", "Dejar de seguir")
	if ask[bool](tab, `document.getElementById("live").hasAttribute("aria-pressed")`) {
		t.Error("the button says what it will do, and that this is so already")
	}
	p.Post("FECAESolicitar", caddytest.LotText(6, 1, 1))
	tab.until(`document.querySelector("table.rows tbody tr")`)
	tab.wantText("table.rows", "Factura B 0001-00000001", "Aprobado")
	tab.do(press("j"))
	if focus := ask[string](tab, focused); focus != ask[string](tab, `document.querySelector("table.rows tbody a").pathname`) {
		t.Errorf("j leads to %s", focus)
	}
	tab.accessible("live", "{}")
	tab.do(chromedp.Click(chromedp.CSS("#live"))) // no longer
	tab.quiet()
}
