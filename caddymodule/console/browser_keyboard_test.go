package console_test

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// focused names what has the focus.
const focused = `(document.activeElement.id || document.activeElement.name || document.activeElement.pathname || document.activeElement.tagName)`

// wantFocus fails the test unless an element has the focus.
func (p *tab) wantFocus(want string) {
	p.t.Helper()
	if got := ask[string](p, focused); got != want {
		p.t.Errorf("the focus is on %s, want %s", got, want)
	}
}

// testKeyboard: a reader without a mouse finds an invoice and reads it.
func testKeyboard(t *testing.T, b *browser, p *place) {
	tab := b.open(t, view{})
	tab.show(p.console, sheet{at: "/search"})
	tab.do(press("/"))
	tab.wantFocus("q")
	tab.do(press("20-11111111-2"))
	tab.follow(press(kb.Enter))
	tab.wantText("h1", "20-11111111-2")

	links := ask[[]string](tab, `Array.from(document.querySelectorAll("table.rows tbody tr")).map(row => row.querySelector("a")).map(a => a.pathname)`)
	if len(links) < 5 {
		t.Fatalf("%d invoices of the issuer", len(links))
	}
	for i, step := range []struct {
		key string
		row int
	}{{"k", 0}, {"j", 1}, {"j", 2}, {"k", 1}, {"k", 0}, {"k", 0}, {"j", 1}} {
		tab.do(press(step.key))
		if got := ask[string](tab, focused); got != links[step.row] {
			t.Errorf("step %d, %s: the focus is on %s, want %s", i+1, step.key, got, links[step.row])
		}
	}
	tab.follow(press(kb.Enter))
	if at := ask[string](tab, "location.pathname"); at != links[1] {
		t.Errorf("Enter led to %s, want %s", at, links[1])
	}
	tab.do(press("/"), press(kb.Escape))
	tab.wantFocus("BODY")

	// The first Tab on a page offers to skip the part that all pages share.
	tab.show(p.console, sheet{at: "/search"})
	tab.do(press(kb.Tab))
	if skip := ask[bool](tab, `document.activeElement.matches(".skip") && document.activeElement.getBoundingClientRect().left >= 0`); !skip {
		t.Error("the first Tab does not show the way to the content")
	}
	tab.quiet()
}

// testKeys: a key shows which keys there are, in the reader's language, and gives the focus back.
func testKeys(t *testing.T, b *browser, p *place) {
	const isOpen = `document.querySelector("dialog").open`
	for language, title := range map[string]string{"es-AR": "Atajos de teclado", "en": "Keyboard shortcuts"} {
		tab := b.open(t, view{language: language})
		tab.show(p.console, sheet{at: "/search"})
		tab.do(press("j"))
		row := ask[string](tab, focused)
		tab.do(press("?"))
		if !ask[bool](tab, isOpen) {
			t.Fatal("? opens nothing")
		}
		tab.wantText("dialog", title, "/", "j", "k", "Enter", "?", "Esc")
		tab.accessible("keys, "+language, "{}")
		tab.prefer("dark")
		tab.accessible("keys, dark", contrast)
		// Nothing happens behind it.
		tab.do(press("j"), press("/"), press("?"))
		if !ask[bool](tab, isOpen) || !ask[bool](tab, `document.querySelector("dialog").contains(document.activeElement)`) {
			t.Error("the keys act behind the dialog")
		}
		tab.do(press(kb.Escape))
		if ask[bool](tab, isOpen) {
			t.Error("Escape does not close it")
		}
		tab.wantFocus(row)
		// With a mouse: the button in the frame, and the one in the dialog.
		tab.do(chromedp.Click(chromedp.CSS("#show-keys")), chromedp.Click(chromedp.CSS("dialog button")))
		if ask[bool](tab, isOpen) {
			t.Error("the button does not close it")
		}
		// In the box all keys write.
		tab.do(press("/"), press("j?k/"))
		if got := ask[string](tab, `document.querySelector("input[type=search]").value`); got != "j?k/" || ask[bool](tab, isOpen) {
			t.Errorf("the box has %q", got)
		}
		tab.quiet()
	}
}
