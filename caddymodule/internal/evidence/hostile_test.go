package evidence

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/fielato/fielato/audit"
)

// hostile ends whatever element or attribute it may stand in.
const hostile = `"'></td></pre></details></style><script>alert(1)</script><img src=x onerror=alert(1)><a href="javascript:alert(1)">`

// TestNothingOthersSaidIsMarkup: every text of a record may come from a client or from a
// service.
func TestNothingOthersSaidIsMarkup(t *testing.T) {
	quoted, err := json.Marshal(hostile)
	if err != nil {
		t.Fatal(err)
	}
	fill := func(r *audit.Record) *audit.Record {
		r.ID, r.Node, r.ClientAddress, r.ClientIdentity, r.Upstream, r.Detail = hostile, hostile, hostile, hostile, hostile, hostile
		r.Vouchers = []audit.Voucher{{CbteDesde: 5, CbteHasta: 5, Code: hostile, Expires: hostile, Resultado: r.Resultado}}
		r.Findings = []audit.Finding{{Code: hostile, Severity: hostile, Action: "refuse", Pointer: "/" + hostile, Text: hostile, Expected: hostile, Got: hostile}}
		r.Request = []byte(strings.NewReplacer(`"PES"`, string(quoted), `"20261121"`, string(quoted), `"DocTipo":80`, `"Desc":`+string(quoted)+`,"DocTipo":80`).Replace(testRequest))
		r.Answer = []byte(`{"Errors":{"Err":[{"Code":` + string(quoted) + `,"Msg":` + string(quoted) + `}]}}`)
		return r
	}
	for name, records := range map[string][]*audit.Record{
		"approved": {fill(intent()), fill(result(0, audit.OutcomeApproved, granted))},
		"rejected": {fill(intent()), fill(result(0, audit.OutcomeRejected, audit.Voucher{Resultado: "R"}))},
		"refused":  {fill(refusal())},
		"asked":    {fill(query(audit.DecisionAsk, audit.OutcomeAnswered, granted)), fill(query(audit.DecisionForward, audit.OutcomeAnswered, granted))},
		"unknown":  {fill(intent()), fill(result(0, audit.Outcome(hostile), audit.Voucher{Resultado: hostile}))},
		"settled":  {fill(intent()), fill(result(0, audit.OutcomeUnknown, audit.Voucher{})), fill(settlement(0, "recovered", granted))},
	} {
		t.Run(name, func(t *testing.T) {
			page := pageFor(t, records...)
			for _, unwanted := range []string{"<script", "<img", "<link", "<iframe", `href="javascript`, "src=x onerror=alert(1)>"} {
				if strings.Contains(page, unwanted) {
					t.Errorf("%s is markup:\n%s", unwanted, page)
				}
			}
			if !strings.Contains(page, "&lt;script&gt;alert(1)") {
				t.Errorf("what was said is missing:\n%s", page)
			}
			if open, closed := strings.Count(page, "<details"), strings.Count(page, "</details>"); open != closed {
				t.Errorf("%d details are begun and %d ended", open, closed)
			}
		})
	}
}

// TestSentencesCannotBeTurnedAround by what a service says: a reader would see another verdict.
func TestSentencesCannotBeTurnedAround(t *testing.T) {
	const turn = "\u202e"
	records := rejection(`{"Errors":{"Err":[{"Code":"1` + turn + `","Msg":"uno` + turn + `"}]}}`)
	page := pageFor(t, records...)
	say(t, page, `El servicio rechazó el comprobante: «uno\u202e» (código 1\u202e).`, `(código 1\u202e)`)
	_, verdicts, _ := strings.Cut(page, "<h1>")
	verdicts, _, _ = strings.Cut(verdicts, "uno por uno")
	if strings.Contains(verdicts, turn) {
		t.Errorf("a sentence is turned around:\n%s", verdicts)
	}
	granted := granted
	granted.Code += turn
	say(t, pageFor(t, intent(), result(0, audit.OutcomeApproved, granted)), `con el CAE 76470000000018\u202e, que vence`)
}

// TestPageStandsAlone: it loads nothing, runs nothing, and its policy would not let it.
func TestPageStandsAlone(t *testing.T) {
	page := pageFor(t, issued(real)...)
	for _, unwanted := range []string{"<script", "<link", "src=", "http://", "https://", "url(", "@import", "style=", "onclick"} {
		if strings.Contains(page, unwanted) {
			t.Errorf("the page needs something from elsewhere: %s", unwanted)
		}
	}
	for _, want := range []string{
		`content="default-src 'none'; style-src 'unsafe-inline'"`, `<html lang="es">`, "@media print", "size: A4", "prefers-color-scheme: dark",
		"<title>Factura B 0001-00000005, CUIT 20-11111111-2: Aprobado</title>", `href="exchanges/001-record-1/request.json"`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page has no %s", want)
		}
	}
}

// TestBodiesOfAnyShapeMakeAPage: a record keeps any JSON, of any shape and with any values.
func TestBodiesOfAnyShapeMakeAPage(t *testing.T) {
	for _, body := range []string{
		`[]`, `{}`, `{"FeCAEReq":null}`, `{"FeCAEReq":[1]}`, `{"FeCAEReq":{"FeDetReq":{"FECAEDetRequest":{}}}}`, `{"ResultGet":"x","FeDetResp":7}`,
		`{"FeCAEReq":{"FeDetReq":{"FECAEDetRequest":[null,{"CbteDesde":5,"CbteHasta":5,"DocTipo":99999999999,"DocNro":{},"ImpTotal":[],"MonId":null}]}}}`,
		`{"FeCAEReq":{"FeDetReq":{"FECAEDetRequest":[{"CbteDesde":5,"CbteHasta":5,"DocTipo":-1,"DocNro":-5,"ImpTotal":1e999,"MonId":7,"CondicionIVAReceptorId":1.5}]}}}`,
	} {
		records := rejection(body)
		records[0].Request = []byte(body)
		say(t, pageFor(t, records...), "Factura B 0001-00000005", "Rechazado por el servicio", "El servicio rechazó el comprobante.")
	}
}
