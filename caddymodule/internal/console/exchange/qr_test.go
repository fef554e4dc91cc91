package exchange_test

import (
	"strings"
	"testing"

	"github.com/fielato/fielato/audit"
)

// TestAnAuthorisedInvoiceHasItsQRCode, but neither one of the test service, nor a refused one, nor one
// whose receiver is hidden.
func TestAnAuthorisedInvoiceHasItsQRCode(t *testing.T) {
	const code, heading = "https://www.arca.gob.ar/fe/qr/?p=", "Código QR del comprobante"
	body := strings.Replace(string(request(5, 1)), `"ImpTotal"`, `"CbteFch":"20261123","ImpTotConc":0,"ImpOpEx":0,"ImpTrib":0,"CondicionIVAReceptorId":1,"ImpTotal"`, 1)
	body = strings.Replace(body, `"Token":"hmac-sha256:aa","Sign":"hmac-sha256:bb"`, `"Token":"hmac-sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","Sign":"hmac-sha256:bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"`, 1)
	says := strings.Replace(string(answer(5, 1)), `{"Resultado":"A"}`, `{"Cuit":20111111112,"PtoVta":1,"CbteTipo":6,"FchProceso":"20261123100000","CantReg":1,"Resultado":"A","Reproceso":"N"}`, 1)
	says = strings.Replace(says, `{"DocTipo"`, `{"Concepto":1,"DocTipo"`, 1)
	approved := func(upstream string) *audit.Record {
		r := about(5, 1, audit.Record{
			Kind: audit.KindExchange, ID: "a", Decision: "forward", Outcome: "approved", Certainty: audit.Answered, Status: 200, Request: []byte(body), Answer: []byte(says),
		})
		r.Upstream = upstream
		return r
	}
	for _, masked := range []bool{false, true} {
		d := newDesk(t, masked)
		page := d.page(d.add(approved("arca.example:443")))
		if has := strings.Contains(page, code) && strings.Contains(page, heading); has == masked {
			t.Errorf("masked %v: the code is shown: %v\n%s", masked, has, page)
		}
	}
	d := newDesk(t, false)
	page := d.page(d.add(approved("wsfev1_backend")))
	d.inOrder(page, heading, "es de prueba y no tiene validez fiscal")
	if strings.Contains(page, code) {
		t.Error("a test code has a QR code")
	}
	if page := d.page(d.refused("r", 6, begun)); strings.Contains(page, heading) {
		t.Error("a refused invoice has a QR code")
	}
}
