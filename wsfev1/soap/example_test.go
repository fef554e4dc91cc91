package soap_test

import (
	"bytes"
	"fmt"

	"github.com/fielato/fielato/wsfev1"
	"github.com/fielato/fielato/wsfev1/soap"
)

// A request is opened, its operation named, and then read; the answer has its version.
func Example() {
	body := []byte(`<s:Envelope xmlns:s="http://www.w3.org/2003/05/soap-envelope"><s:Body>
		<FECompUltimoAutorizado xmlns="http://ar.gov.afip.dif.FEV1/"><Auth><Cuit>20267565393</Cuit></Auth><PtoVta>4</PtoVta></FECompUltimoAutorizado>
	</s:Body></s:Envelope>`)
	message, err := soap.Open(body, "utf-8")
	if err != nil {
		fmt.Println(err)
		return
	}
	op, err := message.Route(`"http://ar.gov.afip.dif.FEV1/FECompUltimoAutorizado"`)
	if err != nil {
		fmt.Println(err)
		return
	}
	request := message.Decode(op)
	asked := request.Body.(*wsfev1.FECompUltimoAutorizadoRequest)
	fmt.Println(op.Name, asked.Auth.Cuit, asked.PtoVta, asked.CbteTipo, len(request.Findings))
	answer, err := soap.AppendAnswer(nil, message.Version, op, &wsfev1.FECompUltimoAutorizadoAnswer{PtoVta: 4, CbteNro: 101}, soap.Info{})
	if err != nil {
		fmt.Println(err)
		return
	}
	_, result, _ := bytes.Cut(answer, []byte("Result>"))
	result, _, _ = bytes.Cut(result, []byte("</FECompUltimoAutorizadoResult>"))
	fmt.Println(string(result))
	// Output:
	// FECompUltimoAutorizado 20267565393 4 0 0
	// <PtoVta>4</PtoVta><CbteTipo>0</CbteTipo><CbteNro>101</CbteNro>
}
