package main

import (
	"bytes"
	"net/http"
	"strconv"
)

// form is how requests and answers are written. The invoices are the same in each.
type form struct {
	path, header string
	appendLot    func(s *series, b []byte, invoices int) []byte
	// approved, number and code begin what an approved answer has for each invoice: its result,
	// which the lot has too, its last number and its CAE.
	approved, number, code string
	// kind is what a member of a right kind is written as, and then of a wrong one.
	kind [2]string
	// refused is the status for a member of a wrong kind.
	refused int
}

var jsonForm = &form{
	path: "/api/wsfev1/FECAESolicitar", header: "Content-Type: application/json\r\n", appendLot: (*series).appendLot,
	approved: `"Resultado":"A"`, number: `"CbteHasta":`, code: `"CAE":"`,
	kind: [2]string{`"Concepto":1`, `"Concepto":"1"`}, refused: http.StatusBadRequest,
}

var soapForm = &form{
	path: "/wsfev1/service.asmx", appendLot: (*series).appendSOAP,
	header:   "Content-Type: text/xml; charset=utf-8\r\nSOAPAction: \"http://ar.gov.afip.dif.FEV1/FECAESolicitar\"\r\n",
	approved: "<Resultado>A<", number: "<CbteHasta>", code: "<CAE>",
	kind: [2]string{"<Concepto>1<", "<Concepto>uno<"}, refused: http.StatusInternalServerError,
}

// appendSOAP is appendLot in SOAP 1.1, as most clients write it.
func (s *series) appendSOAP(b []byte, invoices int) []byte {
	b = append(b, `<?xml version="1.0" encoding="utf-8"?><soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"><soap:Body>`+
		`<FECAESolicitar xmlns="http://ar.gov.afip.dif.FEV1/"><Auth><Token>any-token</Token><Sign>any-sign</Sign><Cuit>`...)
	b = strconv.AppendInt(b, s.cuit, 10)
	b = strconv.AppendInt(append(b, `</Cuit></Auth><FeCAEReq><FeCabReq><CantReg>`...), int64(invoices), 10)
	b = append(b, `</CantReg><PtoVta>1</PtoVta><CbteTipo>6</CbteTipo></FeCabReq><FeDetReq>`...)
	for i := range int64(invoices) {
		b = strconv.AppendInt(append(b, `<FECAEDetRequest><Concepto>1</Concepto><DocTipo>99</DocTipo><DocNro>0</DocNro><CbteDesde>`...), s.next+i, 10)
		b = strconv.AppendInt(append(b, `</CbteDesde><CbteHasta>`...), s.next+i, 10)
		b = append(b, `</CbteHasta><ImpTotal>121.00</ImpTotal><ImpTotConc>0</ImpTotConc><ImpNeto>100.00</ImpNeto><ImpOpEx>0</ImpOpEx>`+
			`<ImpTrib>0</ImpTrib><ImpIVA>21.00</ImpIVA><MonId>PES</MonId><MonCotiz>1</MonCotiz><CondicionIVAReceptorId>5</CondicionIVAReceptorId>`+
			`<Iva><AlicIva><Id>5</Id><BaseImp>100.00</BaseImp><Importe>21.00</Importe></AlicIva></Iva></FECAEDetRequest>`...)
	}
	return append(b, `</FeDetReq></FeCAEReq></FECAESolicitar></soap:Body></soap:Envelope>`...)
}

// wrongKind returns a request with a member of a wrong kind.
func (f *form) wrongKind(request []byte) []byte {
	return bytes.Replace(request, []byte(f.kind[0]), []byte(f.kind[1]), 1)
}
