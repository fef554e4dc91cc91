package console_test

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// proven is the condition after which a page of a proof has verified it.
const proven = `document.getElementById("verdict").dataset.verdict`

// publicKey is the key that the operator of the gateway gives to people who verify.
func (p *place) publicKey(t *testing.T) string {
	t.Helper()
	private, err := os.ReadFile(p.Store + ".key")
	if err != nil {
		t.Fatal(err)
	}
	key, err := audit.ParseKey(strings.TrimSpace(string(private)))
	if err != nil {
		t.Fatal(err)
	}
	return key.Verifier()
}

// testProof: a reader comes from an invoice to its proof, and lets the browser verify it against the key
// that they have. Then one byte of the database changes, behind the back of the gateway that runs: the
// page says so, and of the other invoices it says that they are sound.
func testProof(t *testing.T, b *browser, p *place) {
	tab := b.open(t, view{})
	tab.show(p.console, sheet{at: exchange(p.approved)})
	tab.follow(chromedp.Click(chromedp.CSS(`main a[href$="/proof/` + p.approved + `"]`)))
	tab.until(proven)
	tab.wantVerdict("open") // with the key that the page itself names, nothing is certain
	tab.do(chromedp.Focus(chromedp.CSS("#key-box")))
	call(tab, input.InsertText, input.InsertTextParams{Text: p.publicKey(t)})
	tab.until(proven + ` === "good"`)
	tab.wantText("main", "Factura B 0001-00000001")
	tab.do(chromedp.Click(chromedp.CSS("#key-pin")))
	tab.until(`document.getElementById("key-forget").hidden === false`)
	tab.wantOneSheet()

	p.changeByte(t, p.changed)
	tab.show(p.console, sheet{at: "/proof/" + p.changed, ready: proven})
	tab.wantVerdict("bad")
	tab.wantText("#verdict", "Cambió")
	tab.photograph("prueba-alterada-1280-light.png")
	tab.show(p.console, sheet{at: "/proof/" + p.approved, ready: proven})
	tab.until(proven + ` === "good"`)
	tab.quiet()
}

// pageOfPDF is what a PDF has for each page.
var pageOfPDF = regexp.MustCompile(`/Type\s*/Page\b`)

// wantOneSheet prints the page: it is one sheet, with the answer and what was computed, and without what
// can only be used on a screen.
func (p *tab) wantOneSheet() {
	p.t.Helper()
	printed := call(p, page.PrintToPDF, page.PrintToPDFParams{PreferCSSPageSize: new(true), PrintBackground: new(true)})
	if n := len(pageOfPDF.FindAll(printed.Data, -1)); n != 1 {
		p.t.Errorf("%d pages are printed", n)
	}
	call(p, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "print"})
	p.wantText("main", "No cambió", "SHA-256", "Factura B 0001-00000001", "Ed25519")
	for _, selector := range []string{"body > header", "main button", "main textarea"} {
		if ask[bool](p, fmt.Sprintf("[...document.querySelectorAll(%q)].some(one => one.checkVisibility())", selector)) {
			p.t.Errorf("%s is printed", selector)
		}
	}
	p.prefer("light")
}

func (p *tab) wantVerdict(want string) {
	p.t.Helper()
	if got := ask[string](p, proven); got != want {
		p.t.Errorf("the page says %s (%s), want %s", got, p.text("#verdict"), want)
	}
}

// changeByte changes a letter in the name of the service that a record says it was sent to.
func (p *place) changeByte(t *testing.T, record string) {
	t.Helper()
	_, index, _ := strings.Cut(record, "/")
	const at = "instr(summaries, CAST('wsfev1_backend' AS BLOB))"
	caddytest.Tamper(t, p.Store, fmt.Sprintf("UPDATE segments SET summaries = CAST(substr(summaries, 1, %[1]s - 1) || x'57' || substr(summaries, %[1]s + 1) AS BLOB) "+
		"WHERE id = (1 << 40 | %[2]s) AND %[1]s > 0", at, index))
}
