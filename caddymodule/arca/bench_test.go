package arca

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/fielato/fielato/caddymodule/internal/binding"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
	"github.com/fielato/fielato/wsfev1/soap"
)

// BenchmarkTransport measures what a service that speaks SOAP adds to an exchange, without the network:
// the message is made and read as a connection reads it, the answer of the service is read, judged and
// returned in JSON. The client speaks JSON or SOAP; with a ticket, a keeper's replaces the client's. What
// "nothing" takes is the benchmark's own and is in the other figures too.
//
//	go test ./caddymodule/arca -run '^$' -bench Transport -benchmem
func BenchmarkTransport(b *testing.B) {
	t := &Transport{Path: binding.SOAPPath, logger: zap.NewNop()}
	for _, invoices := range []int{1, 250} {
		request, answer := issuing(b, invoices)
		b.Run(fmt.Sprintf("nothing/%d", invoices), func(b *testing.B) {
			budget := binding.NewAnswerBudget(16 << 20)
			b.ReportAllocs()
			for b.Loop() {
				wire := &binding.Wire{
					Body:   binding.NewBody([]byte("{}"), request, true, func() error { return nil }),
					Answer: &binding.AnswerReservation{Budget: budget, MaxWait: time.Second, Most: 16 << 20},
				}
				r := &http.Request{Header: http.Header{"User-Agent": {"Caddy"}}, URL: base, Body: io.NopCloser(bytes.NewReader(answer))}
				if _, err := io.Copy(io.Discard, r.Body); err != nil {
					b.Fatal(err)
				}
				came := came(answer)
				if _, err := wire.ReadAnswer(context.Background(), came.Body, came.ContentLength); err != nil {
					b.Fatal(err)
				}
				wire.Answer.Release()
			}
		})
		for _, form := range []struct {
			name         string
			inSOAP, kept bool
		}{{"JSON", false, false}, {"SOAP", true, false}, {"SOAP, ticket", true, true}} {
			b.Run(fmt.Sprintf("%s/%d", form.name, invoices), func(b *testing.B) {
				var sent *binding.SOAPCall
				if form.inSOAP {
					sent = call(b, request)
				}
				budget := binding.NewAnswerBudget(16 << 20)
				b.ReportAllocs()
				for b.Loop() {
					pass(b, t, &binding.Wire{
						Body: binding.NewBody([]byte("{}"), request, true, func() error { return nil }), Call: sent, NewTicket: form.kept,
						Answer: &binding.AnswerReservation{Budget: budget, MaxWait: time.Second, Most: 16 << 20},
					}, answer)
				}
			})
		}
	}
}

var base = &url.URL{Scheme: "http", Host: "localhost", Path: "/api/wsfev1/FECAESolicitar"}

// pass takes a request through the transport, all but the connection.
func pass(b *testing.B, t *Transport, wire *binding.Wire, answer []byte) {
	m, err := t.write(wire)
	if err != nil {
		b.Fatal(err)
	}
	r := t.request(m, &http.Request{Header: http.Header{"User-Agent": {"Caddy"}}, URL: base})
	if n, err := io.Copy(io.Discard, r.Body); err != nil || n != r.ContentLength {
		b.Fatal(n, err)
	}
	given, err := t.read(context.Background(), wire, m, came(answer))
	if err != nil || given.StatusCode != http.StatusOK || m.leg.Read != binding.LegAnswered {
		b.Fatal(given, err)
	}
	wire.Answer.Release()
}

// came returns the answer as it comes from a connection.
func came(answer []byte) *http.Response {
	return &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"text/xml; charset=utf-8"}},
		Body: io.NopCloser(bytes.NewReader(answer)), ContentLength: int64(len(answer)),
	}
}

// issuing returns a request for some invoices, and the service's answer.
func issuing(b *testing.B, invoices int) (*validate.Request, []byte) {
	b.Helper()
	op := wsfev1.OperationByName("FECAESolicitar")
	var lot, details bytes.Buffer
	for n := 1; n <= invoices; n++ {
		if n > 1 {
			lot.WriteByte(',')
		}
		fmt.Fprintf(&lot, `{"Concepto":1,"DocTipo":99,"DocNro":0,"CbteDesde":%[1]d,"CbteHasta":%[1]d,"ImpTotal":121.00,"ImpTotConc":0,"ImpNeto":100.00,"ImpOpEx":0,`+
			`"ImpTrib":0,"ImpIVA":21.00,"MonId":"PES","MonCotiz":1,"CondicionIVAReceptorId":5,"Iva":{"AlicIva":[{"Id":5,"BaseImp":100.00,"Importe":21.00}]}}`, n)
		fmt.Fprintf(&details, `<FECAEDetResponse><Concepto>1</Concepto><DocTipo>99</DocTipo><DocNro>0</DocNro><CbteDesde>%[1]d</CbteDesde><CbteHasta>%[1]d</CbteHasta>`+
			`<CbteFch>20261120</CbteFch><Resultado>A</Resultado><CAE>864700000%05[1]d</CAE><CAEFchVto>20261130</CAEFchVto></FECAEDetResponse>`, n)
	}
	request, findings := validate.Decode(op, fmt.Appendf(nil, `{"Auth":{"Token":"dG9rZW4=","Sign":"c2lnbg==","Cuit":20111111112},`+
		`"FeCAEReq":{"FeCabReq":{"CantReg":%d,"PtoVta":1,"CbteTipo":6},"FeDetReq":{"FECAEDetRequest":[%s]}}}`, invoices, lot.Bytes()), validate.ARCA)
	if len(findings) > 0 {
		b.Fatal(findings)
	}
	return request, fmt.Appendf(nil, `<?xml version="1.0" encoding="utf-8"?><soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"><soap:Body>`+
		`<FECAESolicitarResponse xmlns="http://ar.gov.afip.dif.FEV1/"><FECAESolicitarResult><FeCabResp><Cuit>20111111112</Cuit><PtoVta>1</PtoVta><CbteTipo>6</CbteTipo>`+
		`<FchProceso>20261120120000</FchProceso><CantReg>%d</CantReg><Resultado>A</Resultado><Reproceso>N</Reproceso></FeCabResp><FeDetResp>%s</FeDetResp>`+
		`</FECAESolicitarResult></FECAESolicitarResponse></soap:Body></soap:Envelope>`, invoices, details.Bytes())
}

// call returns the request as a client's message that was read.
func call(b *testing.B, request *validate.Request) *binding.SOAPCall {
	b.Helper()
	body, err := soap.AppendRequest(nil, soap.V11, request.Operation, request.Body)
	if err != nil {
		b.Fatal(err)
	}
	r, err := http.NewRequest(http.MethodPost, "http://localhost"+binding.SOAPPath, bytes.NewReader(body))
	if err != nil {
		b.Fatal(err)
	}
	r.Header.Set("Content-Type", "text/xml; charset=utf-8")
	c := binding.NewSOAPCall(r)
	op, _, refusal := binding.Admission{Contract: validate.ARCA, MaxBody: 16 << 20}.AdmitSOAP(nil, r, c)
	if refusal != nil {
		b.Fatal(refusal)
	}
	if _, findings := c.Decode(op, validate.ARCA, 0); len(findings) > 0 {
		b.Fatal(findings)
	}
	return c
}
