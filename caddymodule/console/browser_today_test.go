package console_test

import (
	"strings"
	"testing"
)

// testFresh: the first page says when it was made, also without a script, and claims nothing more once it gets no
// answer for 15 seconds. With the next answer it is fresh again.
func testFresh(t *testing.T, b *browser, p *place) {
	tab := b.open(t, view{})
	tab.show(p.console, sheet{at: "/"})
	tab.until(`!document.querySelector("#state[data-whole=false]")`) // the day may still be read
	tab.wantText("#state", "Actualizado")
	before := tab.text(".verdict")
	ask[any](tab, `(window.real = {fetch: window.fetch, now: Date.now}, window.fetch = () => Promise.reject(new Error("gone")), Date.now = () => real.now() + 16000)`)
	tab.until(`document.querySelector("#state .verdict.stale")`)
	if text := tab.text(".verdict"); text != "Sin noticias de la pasarela: esto puede haber cambiado." || text == before {
		t.Errorf("the page says %q, before %q", text, before)
	}
	tab.accessible("stale", "{}")
	tab.prefer("dark")
	tab.accessible("stale, dark", contrast)
	ask[any](tab, `(Date.now = real.now, window.fetch = real.fetch, document.dispatchEvent(new Event("visibilitychange")))`)
	tab.until(`!document.querySelector("#state .verdict.stale")`)
	if text := tab.text(".verdict"); strings.Contains(text, "Sin noticias") {
		t.Errorf("the page says %q", text)
	}
	tab.quiet()

	still := b.open(t, view{noScript: true})
	still.show(p.console, sheet{at: "/"})
	still.wantText("#state", "Actualizado")
	still.quiet()
}

// testOutage: the page of an outage can be read by people who see badly, and fits every screen.
func testOutage(t *testing.T, b *browser, p *place) {
	tab := b.open(t, view{})
	tab.show(p.hostile, sheet{at: "/outages/gateway-1/2"})
	tab.wantText("main", "Hechos que constan")
	tab.accessible("outage", "{}")
	for _, width := range widths {
		tab.resize(width)
		tab.fits("outage")
	}
	tab.prefer("dark")
	tab.accessible("outage, dark", contrast)
	tab.quiet()
}
