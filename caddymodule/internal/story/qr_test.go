package story_test

import (
	"strings"
	"testing"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/story"
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
	x := exchange(audit.OutcomeApproved, audit.Answered)
	x.Intent.Request, x.At.Answer = []byte(testRequest), []byte(testAnswer)
	code, err := story.Spanish.QROf(x.Intent, x.At, 5, false)
	if err != nil || !strings.HasPrefix(code.Address, "https://") || code.Path == "" || code.Missing != "" {
		t.Errorf("%v, %+v", err, code)
	}
	for want, q := range map[string]story.QRCode{
		"No se muestra: el comprobante es de prueba": first(story.Spanish.QROf(x.Intent, x.At, 5, true)),
		"No se muestra: faltan datos":                first(story.Spanish.QROf(x.Intent, x.At, 6, false)),
		"the exchange does not have all":             first(story.English.QROf(nil, x.At, 5, false)),
	} {
		if !strings.HasPrefix(q.Missing, want) || q.Address != "" {
			t.Errorf("want %q, got %+v", want, q)
		}
	}
}

func first(q story.QRCode, _ error) story.QRCode { return q }

// TestCodesFromALogAreTestCodes only if the built-in service had issued into it.
func TestCodesFromALogAreTestCodes(t *testing.T) {
	var never time.Time
	before, after := noon.Add(-time.Hour), noon.Add(time.Hour)
	for _, c := range []struct {
		upstream string
		since    time.Time
		want     bool
	}{{"wsfev1_backend", never, true}, {"arca.example:443", before, false}, {"", never, false}, {"", before, true}, {"", after, false}} {
		if got := story.IsTestCode(c.upstream, noon, c.since); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}
