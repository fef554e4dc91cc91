package backend_test

import (
	"time"

	"github.com/fielato/fielato/wsfev1"
)

// processed is the moment at which the tests' service answers: a Friday in the
// first fortnight of its month.
var processed = time.Date(2026, 11, 6, 10, 30, 15, 0, wsfev1.Argentina)

func clock() time.Time { return processed }

const issuer = wsfev1.CUIT(20267565393)

func operation(name string) *wsfev1.Operation { return wsfev1.OperationByName(name) }

func ticket(cuit wsfev1.CUIT) wsfev1.Auth {
	return wsfev1.Auth{Token: "token", Sign: "sign", Cuit: cuit}
}

func detail(number int64) wsfev1.FECAEDetRequest {
	condition := int32(5)
	return wsfev1.FECAEDetRequest{
		Concepto: 1, DocTipo: 99, CbteDesde: number, CbteHasta: number, CbteFch: wsfev1.DateOf(processed),
		ImpTotal: wsfev1.MustAmount("121.00"), ImpTotConc: wsfev1.MustAmount("0"), ImpNeto: wsfev1.MustAmount("100.00"),
		ImpOpEx: wsfev1.MustAmount("0"), ImpTrib: wsfev1.MustAmount("0"), ImpIVA: wsfev1.MustAmount("21.00"),
		MonId: "PES", MonCotiz: wsfev1.MustAmount("1"), CondicionIVAReceptorId: &condition,
		Iva: &wsfev1.Iva{AlicIva: []wsfev1.AlicIva{{Id: 5, BaseImp: wsfev1.MustAmount("100.00"), Importe: wsfev1.MustAmount("21.00")}}},
	}
}

func lotRequest(cuit wsfev1.CUIT, ptoVta, cbteTipo int32, first int64, size int) *wsfev1.FECAESolicitarRequest {
	r := &wsfev1.FECAESolicitarRequest{Auth: ticket(cuit)}
	r.FeCAEReq.FeCabReq = wsfev1.FeCabReq{CantReg: int32(size), PtoVta: ptoVta, CbteTipo: cbteTipo}
	for i := range size {
		r.FeCAEReq.FeDetReq.FECAEDetRequest = append(r.FeCAEReq.FeDetReq.FECAEDetRequest, detail(first+int64(i)))
	}
	return r
}
