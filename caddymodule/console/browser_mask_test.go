package console_test

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// testMask: with mask a reader sees the document of a receiver only after a click, which a browser may
// make. A page of another site may not make it.
func testMask(t *testing.T, b *browser, p *place) {
	const document = "30-00000000-7"
	tab := b.open(t, view{})
	tab.show(p.masked, sheet{at: exchange(p.named)})
	tab.wantNoText(document)
	tab.accessible("masked", "{}")
	tab.follow(chromedp.Click(chromedp.CSS("form.reveal button")))
	tab.wantText("main", document)
	tab.fits("revealed")
	tab.follow(chromedp.Reload())
	tab.quiet()

	tab.goTo(strings.Replace(p.hostile, "/consola", "/elsewhere", 1))
	tab.follow(chromedp.Evaluate[chromedp.Void](`(() => {
		const form = Object.assign(document.createElement("form"), {method: "post", action: "` + p.masked + exchange(p.named) + `/reveal"});
		document.body.append(form); form.submit();
	})()`))
	tab.wantText("h1", "Pedido desde otro sitio")
	tab.wantNoText(document)
}

// wantNoText fails the test if the page has the text, shown or not.
func (p *tab) wantNoText(text string) {
	p.t.Helper()
	if ask[bool](p, `document.documentElement.outerHTML.replace(/\D/g, "").includes("`+text+`".replace(/\D/g, ""))`) {
		p.t.Errorf("the page has %s", text)
	}
}
