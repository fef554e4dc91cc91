package mask_test

import (
	"strings"
	"testing"
)

const plainAnswer = `{"FeCabResp":{"Cuit":20111111112,"PtoVta":1,"CbteTipo":6,"FchProceso":"20261120150405","CantReg":1,"Resultado":"A","Reproceso":"N"},` +
	`"FeDetResp":{"FECAEDetResponse":[{"Concepto":1,"DocTipo":80,"DocNro":20222222223,"CbteDesde":1,"CbteHasta":1,"CbteFch":"20261120","Resultado":"A","CAE":"86470000000001","CAEFchVto":"20261130",` +
	`"Observaciones":{"Obs":[{"Code":10217,"Msg":"El credito fiscal discriminado en el presente comprobante solo podra ser computado a efectos del Procedimiento permanente"}]}}]},` +
	`"Events":{"Evt":[{"Code":39,"Msg":"Por favor, consulte las novedades en el sitio del servicio antes del 01/12/2026 (https://www.example.com/ws/)"}]}}`

const plainMessage = `<?xml version="1.0" encoding="utf-8"?><soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><soap:Body>` +
	`<FECAESolicitarResponse xmlns="http://ar.gov.afip.dif.FEV1/"><FECAESolicitarResult><FeCabResp><Cuit>20111111112</Cuit><PtoVta>1</PtoVta><FchProceso>20261120150405</FchProceso></FeCabResp>` +
	`<Obs><Code>10217</Code><Msg>El credito fiscal discriminado en el presente comprobante solo podra ser computado a efectos del Procedimiento permanente</Msg></Obs></FECAESolicitarResult></FECAESolicitarResponse></soap:Body></soap:Envelope>`

// BenchmarkABodyWithoutEchoes is what each exchange costs.
func BenchmarkABodyWithoutEchoes(b *testing.B) {
	token, sign := strings.Repeat("PD94bWwgdmVyc2lvbj0iMS4w", 40), strings.Repeat("Zm9yZ2VkL3NpZ24+", 10)
	r := redactor()
	request := []byte(`{"Auth":{"Token":"` + token + `","Sign":"` + sign + `","Cuit":20111111112},"FeCAEReq":{"FeCabReq":{"CantReg":1,"PtoVta":1,"CbteTipo":6}}}`)
	withoutMessages, _, _ := strings.Cut(plainAnswer, `,"Observaciones"`)
	short := []byte(withoutMessages + "}]}}")
	for name, run := range map[string]func(){
		"request":          func() { r.Mask(nil).Body(request, true, token, sign) },
		"answer":           func() { r.Mask(nil).Body(short, true, token, sign) },
		"answer, messages": func() { r.Mask(nil).Body([]byte(plainAnswer), true, token, sign) },
		"SOAP":             func() { r.Mask(nil).XML([]byte(plainMessage), "", false, token, sign) },
		"text":             func() { r.Text("dial tcp 192.0.2.7:443: connect: connection refused", token, sign) },
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				run()
			}
		})
	}
}

// BenchmarkAnExchange masks the request and the answer of an invoice and of lots, in each form.
func BenchmarkAnExchange(b *testing.B) {
	r := redactor()
	for _, c := range []struct {
		name     string
		invoices int
		soap     bool
	}{{"JSON, an invoice", 1, false}, {"JSON, a lot", 250, false}, {"SOAP, an invoice", 1, true}, {"SOAP, a lot", 250, true}} {
		request, answer := lotOf(c.invoices, c.soap)
		sent, came := []byte(request), []byte(answer)
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				m := r.Mask(nil)
				var ok bool
				if c.soap {
					_, ok = m.XML(sent, "utf-8", true, ticketToken, ticketSign)
				} else {
					_, ok = m.Body(sent, true, ticketToken, ticketSign)
				}
				if !ok {
					b.Fatal("the request is not kept")
				}
				if c.soap {
					_, ok = m.XML(came, "utf-8", false, ticketToken, ticketSign)
				} else {
					_, ok = m.Body(came, true, ticketToken, ticketSign)
				}
				if !ok {
					b.Fatal("the answer is not kept")
				}
			}
		})
	}
}
