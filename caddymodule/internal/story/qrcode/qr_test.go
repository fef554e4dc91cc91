package qrcode_test

import (
	"strings"
	"testing"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/story"
	"github.com/fielato/fielato/caddymodule/internal/story/qrcode"
)

const (
	testRequest = `{"Auth":{"Token":"hmac-sha256:00","Sign":"hmac-sha256:00","Cuit":20111111112},"FeCAEReq":{
"FeCabReq":{"CantReg":1,"PtoVta":1,"CbteTipo":6},"FeDetReq":{"FECAEDetRequest":[{"Concepto":1,"DocTipo":80,"DocNro":30000000007,
"CbteDesde":5,"CbteHasta":5,"CbteFch":"20261121","ImpTotal":1234.56,"MonId":"PES","MonCotiz":1,"CondicionIVAReceptorId":1}]}}}`
	testAnswer = `{"FeCabResp":{"Cuit":20111111112,"PtoVta":1,"CbteTipo":6,"Resultado":"A"},"FeDetResp":{"FECAEDetResponse":[
{"DocTipo":80,"DocNro":30000000007,"CbteDesde":5,"CbteHasta":5,"CbteFch":"20261121","Resultado":"A","CAE":"76470000000018","CAEFchVto":"20261202"}]}}`
)

// TestQROfAnInvoice is there if its records have what it states, and else says why not.
func TestQROfAnInvoice(t *testing.T) {
	intent := &audit.Record{Kind: audit.KindIntent, Operation: "FECAESolicitar", Request: []byte(testRequest)}
	end := &audit.Record{Kind: audit.KindOutcome, Operation: "FECAESolicitar", Outcome: audit.OutcomeApproved, Answer: []byte(testAnswer)}
	code, err := qrcode.Of(story.Spanish, intent, end, 5, false)
	if err != nil || !strings.HasPrefix(code.Address, "https://") || code.Path == "" || code.Missing != "" {
		t.Errorf("%v, %+v", err, code)
	}
	for want, q := range map[string]qrcode.Drawn{
		"No se muestra: el comprobante es de prueba": first(qrcode.Of(story.Spanish, intent, end, 5, true)),
		"No se muestra: faltan datos":                first(qrcode.Of(story.Spanish, intent, end, 6, false)),
		"the exchange lacks data":                    first(qrcode.Of(story.English, nil, end, 5, false)),
	} {
		if !strings.HasPrefix(q.Missing, want) || q.Address != "" {
			t.Errorf("want %q, got %+v", want, q)
		}
	}
}

func first(q qrcode.Drawn, _ error) qrcode.Drawn { return q }
