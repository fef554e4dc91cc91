package console_test

import (
	"strings"
	"testing"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// hostileText is what a client may send to do something to a page: elements, the end of an attribute,
// a script's address, and marks that turn the direction of writing.
const hostileText = `</script></title><script>alert(1)</script>\"'><img src=x onerror=alert(2)><a href='javascript:alert(3)'>x</a>{{.}}\u202e\u2066txt\u0000`

// hostile is the same as a text of a record.
var hostile = strings.NewReplacer(`\"`, `"`, `\u202e`, "\u202e", `\u2066`, "\u2066", `\u0000`, "\x00").Replace(hostileText)

// long is a text of 100 kB without a place to break a line.
var long = hostile + strings.Repeat("W", 100<<10)

// hostileTrail makes a trail with hostile texts in every member that quotes somebody.
func hostileTrail(t *testing.T) (path string) {
	t.Helper()
	body := []byte(`{"FeCAEReq":{"` + hostileText + `":"` + hostileText + `","Largo":"` + strings.Repeat("W", 100<<10) + `"}}`)
	record := func(text string) *audit.Record {
		return &audit.Record{
			Kind: audit.KindExchange, ID: "44b2f37a-a0ef-4448-b4aa-7ac5c56a9253", Time: time.Now().Add(-time.Minute), Duration: time.Second,
			Node: hostile, ClientAddress: "192.0.2.1", ClientIdentity: text, Operation: "FECAESolicitar", Cuit: 20111111112, PtoVta: 1, CbteTipo: 6,
			Vouchers: []audit.Voucher{{CbteDesde: 1, CbteHasta: 1, Code: "96470000000018", Resultado: "A"}},
			Decision: "refuse", Outcome: "refused", Certainty: audit.NotSent, Status: 200, Upstream: hostile, Detail: text,
			Findings: []audit.Finding{{
				Code: "10048", Severity: "ERR", Pointer: "/FeCAEReq/" + strings.ReplaceAll(hostile, "/", "~1"), Action: "refuse",
				Text: text, Expected: text, Got: text, Tolerance: hostile, Difference: hostile,
			}},
			Request: body, Answer: body, RequestLength: int64(len(body)), AnswerLength: int64(len(body)),
		}
	}
	outage := &audit.Record{
		Kind: audit.KindOutage, ID: hostile, Time: time.Now().Add(-time.Hour), Duration: time.Minute, Upstream: hostile, Outcome: "outage_began",
		Detail: `{"failures":{"` + hostileText + `":1200},"service":"` + hostileText + `","first":"gateway-1/0","last":"` + hostileText + `"}`,
	}
	return caddytest.KeptTrail(t, record(hostile), record(long), outage).Store
}

// hostilePages are the pages of the hostile trail.
var hostilePages = []sheet{
	{name: "hoy", at: "/"},
	{name: "buscar", at: "/search"},
	{name: "caidas", at: "/outages"},
	{name: "lecturas", at: "/readings"},
	{name: "caida, su página", at: "/outages/gateway-1/2"},
	{name: "cierre", at: "/month?month=" + presentMonth()},
	{name: "prueba, corto", at: "/proof/gateway-1/0", ready: proven},
	{name: "prueba, largo", at: "/proof/gateway-1/1", ready: proven},
	{name: "prueba, caída", at: "/proof/gateway-1/2", ready: proven},
	{name: "caída", at: exchange("gateway-1/2")},
	{name: "corto", at: exchange("gateway-1/0")},
	{name: "largo", at: exchange("gateway-1/1")},
	{name: "comprobante", at: "/comprobante/20111111112/6/1/1"},
}

// hostileBox is what a link of another site may put into the box.
var hostileBox = []string{hostile, "gateway-1/0" + hostile, strings.Repeat("W", 300), "javascript:alert(1)", "//example.com/"}

// testHostileTexts: what clients have sent is text on every page. It runs nothing, adds no element, opens
// nothing, and does not widen the page.
func testHostileTexts(t *testing.T, b *browser, p *place) {
	tab := b.open(t, view{width: 360})
	for _, s := range hostilePages {
		tab.show(p.hostile, s)
		tab.harmless(s.name)
		ask[any](tab, `document.querySelectorAll("details").forEach(d => { d.open = true; })`)
		tab.harmless(s.name + ", opened")
		tab.resize(1280)
		tab.harmless(s.name + ", wide")
		tab.resize(360)
	}
	tab.goTo(p.console + exchange(p.malformed))
	tab.harmless("a request with a hostile name")
	for _, text := range hostileBox {
		tab.goTo(p.console + "/search?" + queryOf(text))
		tab.harmless("the box")
		tab.goTo(p.console + "/rules?" + queryOf(text))
		tab.harmless("the box of the rules")
	}
	tab.quiet()
	tab.goTo(p.console + "/search?" + queryOf(long[:16<<10])) // which the page refuses
	tab.harmless("more than the box takes")
}

// harmless fails the test if a text of a record has become a part of the page.
func (p *tab) harmless(name string) {
	p.t.Helper()
	if n := ask[int](p, `document.querySelectorAll("img, main script:not([type='application/json']), a[href^='javascript'], [onerror], iframe, object, base").length`); n > 0 {
		p.t.Errorf("%s: a text has become %d elements", name, n)
	}
	if n := ask[int](p, `Array.from(document.scripts).filter(s => s.type !== "application/json" && !s.src.startsWith(location.origin + "/consola/assets/")).length`); n > 0 {
		p.t.Errorf("%s: there are %d scripts of others", name, n)
	}
	p.fits(name)
}
