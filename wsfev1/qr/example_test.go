package qr_test

import (
	"fmt"

	"github.com/fielato/fielato/wsfev1"
	"github.com/fielato/fielato/wsfev1/qr"
)

// The text of the QR code of an approved invoice is composed from the request and its answer.
func Example() {
	request := &wsfev1.FECAESolicitarRequest{Auth: wsfev1.Auth{Cuit: 30000000007}}
	request.FeCAEReq.FeCabReq = wsfev1.FeCabReq{CantReg: 1, PtoVta: 10, CbteTipo: 1}
	request.FeCAEReq.FeDetReq.FECAEDetRequest = []wsfev1.FECAEDetRequest{{
		DocTipo: 80, DocNro: 20000000001, CbteDesde: 94, CbteHasta: 94, CbteFch: "20201013",
		ImpTotal: wsfev1.MustAmount("12100"), MonId: "DOL", MonCotiz: wsfev1.MustAmount("65"),
	}}
	answer := &wsfev1.FECAESolicitarAnswer{FeDetResp: &wsfev1.FeCAEDetResp{FECAEDetResponse: []wsfev1.FECAEDetResponse{{
		DetResponse: wsfev1.DetResponse{CbteDesde: 94, CbteHasta: 94, Resultado: wsfev1.Aprobado}, CAE: "70417054367476",
	}}}}
	for _, content := range qr.Of(request, answer) {
		address, err := content.Address()
		fmt.Println(address[:len(qr.Page)], len(address), err)
	}
	// Output:
	// https://www.arca.gob.ar/fe/qr/ 309 <nil>
}
