package gateway_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/wsfev1"
)

// forwardedCase is an operation as a client asks it, with the expected record of the canned
// answer. members follow Auth.
type forwardedCase struct {
	operation, members string
	ptoVta, cbteTipo   int32
	vouchers           []audit.Voucher
	resultado, outcome string
}

// openFortnight has the fortnight that the cases ask about, and fortnight its values.
var (
	openFortnight = caddytest.OpenFortnight()
	fortnight     = regexp.MustCompile(`:(\d+),"Orden":(\d)`).FindStringSubmatch(openFortnight)
)

// forwardedCases has the 22 operations, with blanks and number forms that a
// re-encoding would not keep.
var forwardedCases = []forwardedCase{
	{
		"FECAESolicitar", strings.TrimSuffix(strings.TrimPrefix(caddytest.Invoice(1), "{"+caddytest.AuthText), "}") + " ", 1, 6,
		[]audit.Voucher{{CbteDesde: 1, CbteHasta: 1, Code: "86470000000001", Resultado: "A"}},
		"A", "observed",
	},
	{
		"FECAEARegInformativo", ` , "FeCAEARegInfReq":{"FeCabReq":{"CantReg":1,"PtoVta":1,"CbteTipo":6},"FeDetReq":{"FECAEADetRequest":[` +
			`{"Concepto":1,"DocTipo":99,"DocNro":0,"CbteDesde":1,"CbteHasta":1,"CbteFch":"20261110","ImpTotal":1.21e2,"ImpTotConc":0,` +
			`"ImpNeto":100.00,"ImpOpEx":0,"ImpTrib":0,"ImpIVA":21.00,"MonId":"PES","MonCotiz":1,"CondicionIVAReceptorId":5,` +
			`"Iva":{"AlicIva":[{"Id":5,"BaseImp":100.00,"Importe":21.00}]},"CAEA":"36470000000001","CbteFchHsGen":"20261110120000"}]}}`, 1, 6,
		[]audit.Voucher{{CbteDesde: 1, CbteHasta: 1, Code: "36470000000001", Resultado: "A"}},
		"A", "observed",
	},
	{
		"FECompConsultar", `,"FeCompConsReq":{ "CbteTipo":6,"CbteNro":1,"PtoVta":1}`, 1, 6,
		[]audit.Voucher{{CbteDesde: 1, CbteHasta: 1, Code: "86470000000001", Resultado: "A"}},
		"A", "answered",
	},
	{operation: "FECompUltimoAutorizado", members: `,"PtoVta":1,"CbteTipo":6`, ptoVta: 1, cbteTipo: 6},
	{operation: "FECompTotXRequest"},
	{
		operation: "FECAEASolicitar", members: "," + openFortnight,
		vouchers: []audit.Voucher{{Code: "36470000000001"}}, outcome: "observed",
	},
	{
		operation: "FECAEASinMovimientoConsultar", members: `,"PtoVta":3,"CAEA":"36470000000001"`, ptoVta: 3,
		vouchers: []audit.Voucher{{Code: "36470000000001"}},
	},
	{
		operation: "FECAEASinMovimientoInformar", members: `,"PtoVta":1,"CAEA":"36470000000001"`, ptoVta: 1,
		vouchers: []audit.Voucher{{Code: "36470000000001"}}, resultado: "A", outcome: "approved",
	},
	{operation: "FEParamGetCotizacion", members: `,"MonId":"D\u004fL"`},
	{operation: "FEParamGetTiposOpcional"},
	{operation: "FEParamGetTiposConcepto"},
	{operation: "FEParamGetTiposTributos"},
	{operation: "FEParamGetTiposMonedas"},
	{operation: "FEParamGetPtosVenta"},
	{operation: "FEParamGetTiposCbte"},
	{operation: "FEParamGetTiposIva"},
	{operation: "FEParamGetTiposDoc"},
	{operation: "FEParamGetActividades"},
	{operation: "FEParamGetTiposPaises"},
	{operation: "FEDummy"},
	{
		operation: "FECAEAConsultar", members: "," + openFortnight,
		vouchers: []audit.Voucher{{Code: "36470000000001"}},
	},
	{operation: "FEParamGetCondicionIvaReceptor", members: `,"ClaseCmp":"B"`},
}

func (f forwardedCase) body() string {
	if f.operation == "FEDummy" {
		return "{ }\n"
	}
	return "{\n" + caddytest.AuthText + f.members + "\t}\n"
}

// forward sends the case to a stub that answers with status and answer; it returns
// the exchange's records.
func (f forwardedCase) forward(t *testing.T, status int, answer string) []*audit.Record {
	t.Helper()
	upstream := caddytest.NewStub(t, caddytest.Answering(status, answer))
	s := caddytest.Start(t, caddytest.ProxyTo(upstream.URL))
	got := s.Post(f.operation, f.body())
	if got.Status != status || string(got.Body) != answer {
		t.Errorf("the client got %d %s\nwant %d %s", got.Status, got.Body, status, answer)
	}
	sent, header := upstream.Last()
	if string(sent) != f.body() || header.Get("Content-Type") != "application/json" || upstream.Hits.Load() != 1 {
		t.Errorf("the upstream got %q (%d requests), want %q", sent, upstream.Hits.Load(), f.body())
	}
	records := s.Records()
	if n := len(records); n == 0 || got.Header.Get("Wsfev1-Record") != records[n-1].Log+"/"+string('0'+rune(n-1)) {
		t.Fatalf("%d records, the client got the address %q", n, got.Header.Get("Wsfev1-Record"))
	}
	last := records[len(records)-1]
	if last.Upstream != strings.TrimPrefix(upstream.URL, "http://") || last.Certainty != audit.Answered || last.Status != status {
		t.Errorf("recorded upstream %q, %s, status %d", last.Upstream, last.Certainty, last.Status)
	}
	if string(last.Answer) != answer || last.AnswerLength != int64(len(answer)) || last.AnswerDigest != sha256.Sum256([]byte(answer)) {
		t.Errorf("recorded answer %s (%d bytes)", last.Answer, last.AnswerLength)
	}
	return records
}

// TestEveryOperationForwarded: both bodies arrive as they were sent, whatever the
// operation, and the records say what it was about.
func TestEveryOperationForwarded(t *testing.T) {
	for _, f := range forwardedCases {
		t.Run(f.operation, func(t *testing.T) {
			answer := fill(t, f.operation)
			caddytest.CheckAnswer(t, f.operation, []byte(answer))
			records := f.forward(t, 200, answer)
			checkKinds(t, f.operation, records)
			for _, r := range records {
				f.checkRequest(t, r)
				if len(r.Findings) != 0 {
					t.Errorf("found %+v", r.Findings)
				}
			}
			last := records[len(records)-1]
			if want := f.outcome; string(last.Outcome) != want && (want != "" || string(last.Outcome) != "answered") {
				t.Errorf("outcome %q, want %q", last.Outcome, want)
			}
			if last.Resultado != f.resultado || !slices.Equal(last.Vouchers, f.vouchers) {
				t.Errorf("recorded %q %+v, want %q %+v", last.Resultado, last.Vouchers, f.resultado, f.vouchers)
			}
		})
	}
	if len(forwardedCases) != len(wsfev1.Operations) {
		t.Errorf("%d cases for %d operations", len(forwardedCases), len(wsfev1.Operations))
	}
}

// checkKinds: an intent and its outcome where something changes, else one record.
func checkKinds(t *testing.T, operation string, records []*audit.Record) {
	t.Helper()
	var got []audit.Kind
	for _, r := range records {
		got = append(got, r.Kind)
	}
	want := []audit.Kind{audit.KindExchange}
	switch operation {
	case "FECAESolicitar", "FECAEARegInformativo", "FECAEASolicitar", "FECAEASinMovimientoInformar":
		want = []audit.Kind{audit.KindIntent, audit.KindOutcome}
	}
	if !slices.Equal(got, want) {
		t.Fatalf("records %v, want %v", got, want)
	}
	if len(records) == 2 && (records[1].ID != records[0].ID || records[1].Intent != records[0].Index) {
		t.Errorf("the outcome %s of %d does not belong to the intent %s", records[1].ID, records[1].Intent, records[0].ID)
	}
}

var fingerprintForm = regexp.MustCompile(`"hmac-sha256:[0-9a-f]{32}"`)

// checkRequest checks the recorded request, in whichever record.
func (f forwardedCase) checkRequest(t *testing.T, r *audit.Record) {
	t.Helper()
	cuit := wsfev1.CUIT(20111111112)
	if f.operation == "FEDummy" {
		cuit = 0
	}
	if r.Operation != f.operation || r.Cuit != cuit || r.PtoVta != f.ptoVta || r.CbteTipo != f.cbteTipo {
		t.Errorf("recorded %s of %s, %d, %d", r.Operation, r.Cuit, r.PtoVta, r.CbteTipo)
	}
	body := f.body()
	if r.Decision != "forward" || r.RequestLength != int64(len(body)) || r.RequestDigest != sha256.Sum256([]byte(body)) {
		t.Errorf("recorded %s, a request of %d bytes", r.Decision, r.RequestLength)
	}
	if r.Kind == audit.KindOutcome {
		if r.Request != nil {
			t.Error("the outcome repeats the request")
		}
		return
	}
	secrets := [][]byte{[]byte(`"` + caddytest.Token + `"`), []byte(`"` + caddytest.Sign + `"`)}
	kept := fingerprintForm.ReplaceAllFunc(r.Request, func(print []byte) []byte {
		if len(secrets) == 0 {
			return print
		}
		secret := secrets[0]
		secrets = secrets[1:]
		return secret
	})
	if !bytes.Equal(kept, []byte(body)) || f.operation != "FEDummy" && len(secrets) != 0 {
		t.Errorf("recorded request %s", r.Request)
	}
}

// TestErrorsOfEveryOperationForwarded: a normal answer with Errors is a rejection.
func TestErrorsOfEveryOperationForwarded(t *testing.T) {
	const answer = `{"Errors":{"Err":[{"Code":600,"Msg":"ValidacionDeToken: no valido"}]}}`
	for _, f := range forwardedCases {
		if f.operation == "FEDummy" {
			continue // it has no Errors
		}
		t.Run(f.operation, func(t *testing.T) {
			records := f.forward(t, 200, answer)
			if last := records[len(records)-1]; last.Outcome != "rejected" || len(last.Findings) != 0 {
				t.Errorf("outcome %s, findings %+v", last.Outcome, last.Findings)
			}
		})
	}
}

// TestErrorBodyOfTheUpstreamPassesUnchanged: docs/sources.md#contract declares 400 for
// FECAEARegInformativo; other operations may use it too.
func TestErrorBodyOfTheUpstreamPassesUnchanged(t *testing.T) {
	const answer = `{ "Errors" : { "Err" : [ { "Code" : "500", "Msg" : "Error al solicitar CAE" } ] } }`
	for _, f := range forwardedCases[:3] {
		t.Run(f.operation, func(t *testing.T) {
			records := f.forward(t, 400, answer)
			checkKinds(t, f.operation, records)
			if last := records[len(records)-1]; last.Outcome != "upstream_error" || len(last.Findings) != 0 {
				t.Errorf("outcome %s, findings %+v", last.Outcome, last.Findings)
			}
		})
	}
}

// canned are the values of a canned answer that the gateway reads.
var canned = map[string]string{
	"CbteFch": `"20261110"`, "CantReg": "1", "Concepto": "1", "DocTipo": "99", "DocNro": "0",
	"Resultado": `"A"`, "CbteDesde": "1", "CbteHasta": "1", "CAE": `"86470000000001"`, "CAEA": `"36470000000001"`,
	"CodAutorizacion": `"86470000000001"`, "Cuit": "20111111112", "PtoVta": "1", "CbteTipo": "6", "Periodo": fortnight[1], "Orden": fortnight[2],
	"MonId": `"DOL"`,
}

// fill writes an answer with every member of the operation's line but Errors.
// Blanks and escapes stand where a re-encoding would not put them.
func fill(t testing.TB, operation string) string {
	t.Helper()
	return fillObject(caddytest.TableOf(t, operation))
}

func fillObject(members []caddytest.Expected) string {
	var parts []string
	for _, m := range members {
		if m.Name == "Errors" {
			continue
		}
		var value string
		switch m.Kind {
		case '{':
			value = fillObject(m.Inner)
		case '[':
			value = "[" + fillObject(m.Inner) + "]"
		case 'n':
			value = "7"
		default:
			value = `"Observaci\u00f3n \/ ñ"`
		}
		if given, ok := canned[m.Name]; ok && (given[0] == '"') == (m.Kind == 's') && (m.Kind == 's' || m.Kind == 'n') {
			value = given
		}
		parts = append(parts, fmt.Sprintf("%q : %s", m.Name, value))
	}
	return "{ " + strings.Join(parts, " ,\t") + " }"
}
