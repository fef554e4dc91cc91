package console_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// sheetVerdict is the condition after which a sheet has verified itself.
const sheetVerdict = `document.getElementById("result").dataset.verdict`

// sheetOfInvoice returns the sheet of the first invoice.
func (p *place) sheetOfInvoice(t *testing.T) string {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, p.console+"/comprobante/20111111112/6/1/1/constancia.html", nil)
	if err != nil {
		t.Fatal(err)
	}
	got, err := caddytest.Try(r)
	if err != nil || got.Status != http.StatusOK {
		t.Fatalf("%v %d", err, got.Status)
	}
	return string(got.Body)
}

// testSheet: from an exchange to the page of its invoice, and from there the sheet for the customer, which verifies
// itself where it is kept. A sheet in which a digit was changed does not.
func testSheet(t *testing.T, b *browser, p *place) {
	tab := b.open(t, view{})
	tab.show(p.console, sheet{at: exchange(p.approved)})
	tab.follow(chromedp.Click(chromedp.CSS(`main a[href$="/comprobante/20111111112/6/1/1"]`)))
	tab.wantText("main", "Factura B 0001-00000001", "Aprobado", p.cae, "servicio incorporado, sin validez fiscal", "121,00")
	tab.photograph("comprobante-1280-light.png")
	tab.show(p.console, sheet{at: exchange(p.lot)})
	tab.follow(chromedp.Click(chromedp.CSS(`#comprobante-2 a`)))
	tab.wantText("main", "0001-00000002", "en un lote de 3 comprobantes")
	tab.quiet()

	text := p.sheetOfInvoice(t)
	open := func(name, text string) {
		file := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		tab.goTo("file://" + file)
		tab.until(sheetVerdict)
	}
	open("constancia.html", text)
	tab.wantText("main", "Factura B 0001-00000001", p.cae, "Sin validez fiscal", "Coincide, según la clave que este mismo archivo trae")
	tab.do(chromedp.Focus(chromedp.CSS("#key")))
	call(tab, input.InsertText, input.InsertTextParams{Text: p.publicKey(t)})
	tab.until(sheetVerdict + ` === "good"`)
	tab.accessible("constancia", "{}")
	tab.photograph("constancia-1280-light.png")
	inProof := strings.Index(text, "\\nextra ") + 60
	for name, changed := range map[string]string{
		"code":   strings.Replace(text, `id="code">`+p.cae[:13], `id="code">`+p.cae[1:13]+"0", 1),
		"number": strings.Replace(text, `id="number">0001-00000001`, `id="number">0001-00000002`, 1),
		"proof":  text[:inProof] + map[bool]string{true: "B", false: "A"}[text[inProof] == 'A'] + text[inProof+1:],
	} {
		if changed == text {
			t.Errorf("%s: nothing was changed", name)
		}
		open(name+".html", changed)
		if got := ask[string](tab, sheetVerdict); got != "bad" {
			t.Errorf("%s was changed, and the sheet says %s: %s", name, got, tab.text("#result"))
		}
	}
	tab.quiet()
}
