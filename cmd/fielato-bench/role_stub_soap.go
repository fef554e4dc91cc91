package main

import (
	"bytes"
	"net/http"
	"strconv"
)

// serveSOAP is ServeHTTP for an upstream that speaks SOAP 1.1. It reads no XML: its callers write one
// form.
func (s *stub) serveSOAP(w http.ResponseWriter, body []byte) {
	key := stubSeries{after(body, `<Cuit>`), after(body, `<PtoVta>`), after(body, `<CbteTipo>`)}
	var answer []byte
	switch {
	case bytes.Contains(body, []byte("<FECAESolicitar ")):
		first, count := after(body, `<CbteDesde>`), int64(bytes.Count(body, []byte(`<CbteDesde>`)))
		s.setLast(key, first+count-1)
		answer = approvalInSOAP(key, first, count)
	case bytes.Contains(body, []byte("<FECompUltimoAutorizado ")):
		answer = lastInSOAP(key, s.lastOf(key))
	default:
		http.Error(w, "no such operation", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/xml; charset=utf-8")
	w.Header().Set("Content-Length", strconv.Itoa(len(answer)))
	_, _ = w.Write(answer) // the client has gone
}

const (
	soapHead = `<?xml version="1.0" encoding="utf-8"?><soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"><soap:Body>`
	soapTail = `</soap:Body></soap:Envelope>`
)

// lastInSOAP is the answer to a question for the last number of a series.
func lastInSOAP(key stubSeries, last int64) []byte {
	b := []byte(soapHead + `<FECompUltimoAutorizadoResponse xmlns="http://ar.gov.afip.dif.FEV1/"><FECompUltimoAutorizadoResult><PtoVta>`)
	b = strconv.AppendInt(b, key.pointOfSale, 10)
	b = strconv.AppendInt(append(b, `</PtoVta><CbteTipo>`...), key.class, 10)
	b = strconv.AppendInt(append(b, `</CbteTipo><CbteNro>`...), last, 10)
	return append(b, `</CbteNro></FECompUltimoAutorizadoResult></FECompUltimoAutorizadoResponse>`+soapTail...)
}

// approvalInSOAP is approval in SOAP.
func approvalInSOAP(key stubSeries, first, count int64) []byte {
	b := make([]byte, 0, 768+320*count)
	b = append(b, soapHead+`<FECAESolicitarResponse xmlns="http://ar.gov.afip.dif.FEV1/"><FECAESolicitarResult><FeCabResp><Cuit>`...)
	b = strconv.AppendInt(b, key.cuit, 10)
	b = strconv.AppendInt(append(b, `</Cuit><PtoVta>`...), key.pointOfSale, 10)
	b = strconv.AppendInt(append(b, `</PtoVta><CbteTipo>`...), key.class, 10)
	b = strconv.AppendInt(append(b, `</CbteTipo><FchProceso>20261120120000</FchProceso><CantReg>`...), count, 10)
	b = append(b, `</CantReg><Resultado>A</Resultado><Reproceso>N</Reproceso></FeCabResp><FeDetResp>`...)
	for number := first; number < first+count; number++ {
		b = strconv.AppendInt(append(b, `<FECAEDetResponse><Concepto>1</Concepto><DocTipo>99</DocTipo><DocNro>0</DocNro><CbteDesde>`...), number, 10)
		b = strconv.AppendInt(append(b, `</CbteDesde><CbteHasta>`...), number, 10)
		b = append(b, `</CbteHasta><CbteFch>20261120</CbteFch><Resultado>A</Resultado><CAE>`...)
		b = strconv.AppendInt(b, 86470000000000+number, 10)
		b = append(b, `</CAE><CAEFchVto>20261130</CAEFchVto></FECAEDetResponse>`...)
	}
	return append(b, `</FeDetResp></FECAESolicitarResult></FECAESolicitarResponse>`+soapTail...)
}
