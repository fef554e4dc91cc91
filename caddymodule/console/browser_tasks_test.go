package console_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	cdpbrowser "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/wsfev1"
)

// task is something that a reader does with clicks and keys alone. Typing into a box counts as one click, with the Enter
// after it.
type task struct {
	*tab
	clicks int
	began  time.Time
}

// task opens the page on which a reader begins.
func (b *browser) task(t *testing.T, base, at string) *task {
	t.Helper()
	tab := b.open(t, view{})
	tab.show(base, sheet{at: at})
	return &task{tab: tab, began: time.Now()}
}

// link is a link or a button of the page, by what a reader sees of it.
func link(text string) string {
	return fmt.Sprintf(`//*[self::a or self::button][normalize-space()=%q]`, text)
}

// click clicks on what leads to another page.
func (k *task) click(element string) {
	k.t.Helper()
	k.clicks++
	k.follow(chromedp.Click(element))
}

// press clicks on what changes the page that is open.
func (k *task) press(element string) {
	k.t.Helper()
	k.clicks++
	k.do(chromedp.Click(element))
}

// search types into the box of the console.
func (k *task) search(text string) {
	k.t.Helper()
	k.clicks++
	k.find(text)
}

// download clicks on a link to a file, and returns it.
func (k *task) download(element string) string {
	k.t.Helper()
	k.clicks++
	folder := k.t.TempDir()
	call(k.tab, cdpbrowser.SetDownloadBehavior, cdpbrowser.SetDownloadBehaviorParams{
		Behavior: cdpbrowser.SetDownloadBehaviorBehaviorAllow, DownloadPath: folder, EventsEnabled: new(true),
		BrowserContextID: call(k.tab, target.GetTargetInfo, target.GetTargetInfoParams{}).TargetInfo.BrowserContextID,
	})
	ctx, cancel := k.within()
	defer cancel()
	isDone := func(e cdpbrowser.EventDownloadProgress) bool {
		return e.State == cdpbrowser.DownloadProgressStateCompleted
	}
	if _, err := chromedp.Run(ctx, chromedp.WaitEvent(cdpbrowser.DownloadProgress, isDone, chromedp.Click(element))); err != nil {
		k.t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(folder, "*"))
	if err != nil || len(files) != 1 {
		k.t.Fatalf("downloaded %q, %v", files, err)
	}
	text, err := os.ReadFile(files[0])
	if err != nil {
		k.t.Fatal(err)
	}
	return string(text)
}

// done fails the test if the task took more clicks than it may.
func (k *task) done(most int) {
	k.t.Helper()
	k.t.Logf("%d clicks, %.1f s", k.clicks, time.Since(k.began).Seconds())
	if k.clicks > most {
		k.t.Errorf("it took %d clicks, want at most %d", k.clicks, most)
	}
	k.quiet()
}

// testTasks: what people come for takes few clicks.
func testTasks(t *testing.T, b *browser, p *place) {
	for name, do := range map[string]func(*testing.T, *browser, *place){
		"a customer asks for an invoice":  taskConstancia,
		"what became of it in the outage": taskOutage,
		"the sums of the month":           taskMonth,
		"a refused request":               taskRefused,
		"an auditor asks for a proof":     taskProof,
	} {
		t.Run(name, func(t *testing.T) { do(t, b, p) })
	}
}

// taskConstancia: a customer reads out a CAE, and gets the sheet about the invoice.
func taskConstancia(t *testing.T, b *browser, p *place) {
	k := b.task(t, p.console, "/")
	k.search(p.cae)
	k.click(`//table//a[normalize-space()="Factura B 0001-00000001"]`)
	text := k.download(link("Constancia para el cliente"))
	for _, want := range []string{"Factura B", "0001-00000001", p.cae, "121,00"} {
		if !strings.Contains(text, want) {
			t.Errorf("the sheet has no %q:\n%s", want, text)
		}
	}
	k.done(3)
}

// taskOutage: the service did not answer. Which invoices did that touch, and what became of each?
func taskOutage(t *testing.T, b *browser, p *place) {
	day := p.outageEnded.In(wsfev1.Argentina).Format(time.DateOnly)
	k := b.task(t, p.outage, "/?day="+day)
	k.click(`//li[contains(., "El servicio no respondió del")]/a`)
	k.wantText("main", "2 h", fmt.Sprintf("%d comprobantes pedidos (%d intentos): %d se emitieron después, 1 se emitió y se recuperó.", outageInvoices, outageInvoices*outageAttempts, outageInvoices-1))
	links := ask[[]string](k.tab, `[...document.querySelectorAll("table.rows tbody a")].map(a => a.innerText)`)
	for number := range outageInvoices {
		if want := fmt.Sprintf("Factura B 0001-%08d", number+1); len(links) != outageInvoices || links[number] != want {
			t.Errorf("the list has %q, want %s as number %d", links, want, number)
		}
	}
	k.done(2)
}

// cents reads an amount of a page.
func cents(t *testing.T, text string) int64 {
	t.Helper()
	n, err := strconv.ParseInt(strings.NewReplacer(".", "", ",", "").Replace(text), 10, 64)
	if err != nil || len(text) < 4 || text[len(text)-3] != ',' {
		t.Fatalf("%q is no amount: %v", text, err)
	}
	return n
}

// taskMonth: an accountant adds up what an issuer has invoiced so far; the page begins with the month before. The sums are
// of the requests that were approved.
func taskMonth(t *testing.T, b *browser, p *place) {
	want := p.sell(t)
	k := b.task(t, p.console, "/")
	k.click(link("Cierre"))
	k.clicks++ // the issuer is typed
	k.do(chromedp.Click(chromedp.CSS("input[name=cuit]")))
	k.follow(press(caddytest.IssuerOf(bookkeeper).String() + kb.Enter))
	k.click(link("Mes siguiente →"))
	shown := ask[map[string]string](k.tab, `Object.fromEntries(Array.from(document.querySelectorAll("main tr.sum td[data-label]"), td => [td.dataset.label, td.innerText]))`)
	got := sums{net: cents(t, shown["Neto gravado"]), vat: cents(t, shown["IVA"]), total: cents(t, shown["Total"])}
	if _, err := fmt.Sscan(shown["Cantidad"], &got.count); err != nil || got != want {
		t.Errorf("the page has %+v, want %+v, %v", got, want, err)
	}
	if issuers := ask[[]string](k.tab, `[...document.querySelectorAll("main .cuit")].map(one => one.innerText.replaceAll("-", ""))`); len(issuers) != 1 || issuers[0] != caddytest.IssuerOf(bookkeeper).String() {
		t.Errorf("the sums are those of %q", issuers)
	}
	k.done(3)
}

// taskRefused: a developer has a request that was refused, and wants one that is not.
func taskRefused(t *testing.T, b *browser, p *place) {
	wrong := strings.Replace(caddytest.LotText(62, 1, 1), `"ImpTotal":121.00`, `"ImpTotal":120.00`, 1)
	refused := p.Post("FECAESolicitar", wrong).Header.Get("Wsfev1-Record")
	k := b.task(t, p.console, exchange(refused))
	k.click(link("Probar este pedido"))
	k.until(`!document.querySelector("#verdict[aria-busy]")`) // the script has judged it again
	k.press(`//*[@id="verdict"]//button[starts-with(normalize-space(), "Usar este valor")]`)
	k.until(`document.querySelector("#verdict .outcome.good, #verdict .outcome.open")`)
	k.wantText("#verdict", "Se escribió ImpTotal: 121,00 en lugar de 120,00.", "Copie el pedido", "Copiar el pedido")
	if box := ask[string](k.tab, `document.getElementById("document").value`); !strings.Contains(box, `"ImpTotal": 121.00,`) {
		t.Errorf("the box has\n%s", box)
	}
	k.done(2)
}

// taskProof: an auditor has the key of the log, and does not take anybody's word for it.
func taskProof(t *testing.T, b *browser, p *place) {
	k := b.task(t, p.console, "/comprobante/20111111112/6/1/1")
	k.click(link("Verificar que no cambió"))
	k.until(proven)
	k.press(`//textarea[@id="key-box"]`)
	call(k.tab, input.InsertText, input.InsertTextParams{Text: p.publicKey(t)})
	k.until(proven + ` === "good"`)
	k.wantText("main", "Factura B 0001-00000001", p.cae, "No cambió")
	k.done(2)
}
