package console_test

import (
	"testing"

	"github.com/chromedp/chromedp"
)

// testSaved: a reader keeps a search in the browser, comes back to it, and forgets it. What another page has written
// into the same place leads nowhere else.
func testSaved(t *testing.T, b *browser, p *place) {
	const kept = `document.querySelectorAll("#saved li").length`
	tab := b.open(t, view{})
	tab.show(p.console, sheet{at: "/search"})
	if ask[bool](tab, `!document.getElementById("saved").hidden`) {
		t.Error("there is something to keep of no search")
	}
	tab.show(p.console, sheet{at: "/search?outcome=approved&" + queryOf("20-11111111-2")})
	tab.do(chromedp.Click(chromedp.CSS("#saved > button")))
	if n := ask[int](tab, kept); n != 1 || ask[bool](tab, `document.querySelector("#saved > button") !== null`) {
		t.Errorf("%d searches are kept", n)
	}
	tab.accessible("saved", "{}")
	tab.show(p.console, sheet{at: "/search"})
	tab.wantText("#saved", "20-11111111-2")
	tab.follow(chromedp.Click(chromedp.CSS("#saved li a")))
	tab.wantText("h1", "20-11111111-2")
	ask[any](tab, `localStorage.setItem("fielato.searches", JSON.stringify([{name: "<b>x</b>", address: "https://example.com/search?q=1"}, {name: 7}, null].concat(JSON.parse(localStorage.getItem("fielato.searches")))))`)
	tab.show(p.console, sheet{at: "/search"})
	if n := ask[int](tab, kept); n != 1 {
		t.Errorf("%d searches are shown", n)
	}
	ask[any](tab, `localStorage.setItem("fielato.searches", "{")`)
	tab.show(p.console, sheet{at: "/search?" + queryOf("hoy")})
	tab.do(chromedp.Click(chromedp.CSS("#saved > button")))
	tab.do(chromedp.Click(chromedp.CSS("#saved li button")))
	if n := ask[int](tab, kept); n != 0 {
		t.Errorf("%d searches are left", n)
	}
	tab.quiet()
}

// testCopy: a button copies the CAE, and says so.
func testCopy(t *testing.T, b *browser, p *place) {
	tab := b.open(t, view{})
	tab.show(p.console, sheet{at: exchange(p.approved)})
	ask[any](tab, `Object.defineProperty(navigator, "clipboard", {value: {writeText: text => { window.copied = text; return Promise.resolve(); }}})`)
	tab.do(chromedp.Click(chromedp.CSS(`[data-copy="CAE"] + button`)))
	if got := ask[string](tab, `window.copied`); got != p.cae {
		t.Errorf("%q was copied", got)
	}
	tab.until(`document.querySelector('[data-copy="CAE"] + button').textContent === "Copiado"`)
	tab.accessible("copied", "{}")
	tab.quiet()
}
