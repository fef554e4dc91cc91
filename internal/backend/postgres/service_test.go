package postgres_test

import (
	"sync"
	"testing"
	"time"

	"github.com/fielato/fielato/internal/backend"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
)

// request asks for a lot of size invoices after number. Credit notes refer to the first
// invoice of their point of sale.
func request(cuit wsfev1.CUIT, cbteTipo int32, number int64, size int) *validate.Request {
	r := &wsfev1.FECAESolicitarRequest{Auth: wsfev1.Auth{Token: "token", Sign: "sign", Cuit: cuit}}
	r.FeCAEReq.FeCabReq = wsfev1.FeCabReq{CantReg: int32(size), PtoVta: 1, CbteTipo: cbteTipo}
	condition := int32(5)
	for i := range int64(size) {
		detail := wsfev1.FECAEDetRequest{
			Concepto: 1, DocTipo: 99, CbteDesde: number + 1 + i, CbteHasta: number + 1 + i, CbteFch: "20261106",
			ImpTotal: wsfev1.MustAmount("100.00"), ImpTotConc: wsfev1.MustAmount("0"), ImpNeto: wsfev1.MustAmount("0"),
			ImpOpEx: wsfev1.MustAmount("100.00"), ImpTrib: wsfev1.MustAmount("0"), ImpIVA: wsfev1.MustAmount("0"),
			MonId: "PES", MonCotiz: wsfev1.MustAmount("1"), CondicionIVAReceptorId: &condition,
		}
		if cbteTipo == 8 {
			detail.CbtesAsoc = &wsfev1.CbtesAsoc{CbteAsoc: []wsfev1.CbteAsoc{{Tipo: 6, PtoVta: 1, Nro: 1, Cuit: cuit.String(), CbteFch: "20261106"}}}
		}
		r.FeCAEReq.FeDetReq.FECAEDetRequest = append(r.FeCAEReq.FeDetReq.FECAEDetRequest, detail)
	}
	return &validate.Request{Operation: wsfev1.OperationByName("FECAESolicitar"), Body: r}
}

// TestTwoServicesGiveEachInvoiceACodeOfItsOwn issues lots and notes for the same issuers
// through two services.
func TestTwoServicesGiveEachInvoiceACodeOfItsOwn(t *testing.T) {
	now := time.Date(2026, 11, 6, 10, 30, 15, 0, wsfev1.Argentina)
	var services [2]*backend.Backend
	for i, ledger := range twoLedgers(t) {
		service, err := backend.New(ledger, backend.Options{Clock: func() time.Time { return now }})
		if err != nil {
			t.Fatal(err)
		}
		services[i] = service
	}
	const lots, size = 4, 250
	var mu sync.Mutex // guards codes
	codes := map[string]bool{}
	approve := func(service *backend.Backend, r *validate.Request) {
		answer, err := service.Answer(t.Context(), r)
		if err != nil {
			t.Error(err)
			return
		}
		lot := answer.(*wsfev1.FECAESolicitarAnswer)
		if lot.FeCabResp.Resultado != wsfev1.Aprobado {
			t.Errorf("%+v %+v", lot.FeCabResp, lot.FeDetResp.FECAEDetResponse[0].Observaciones)
			return
		}
		mu.Lock()
		defer mu.Unlock()
		for _, one := range lot.FeDetResp.FECAEDetResponse {
			if valid, simulated := backend.AuthorisationCode(one.CAE); !valid || !simulated || codes[one.CAE] {
				t.Errorf("the code %q is none, or was given before", one.CAE)
			}
			codes[one.CAE] = true
		}
	}
	var issuing sync.WaitGroup
	for i := range 8 {
		issuing.Go(func() {
			cuit := seriesOf(i).Cuit
			for k := range lots {
				approve(services[k%2], request(cuit, 6, int64(k*size), size))
				approve(services[(k+1)%2], request(cuit, 8, int64(k), 1))
			}
		})
	}
	issuing.Wait()
	if want := 8 * lots * (size + 1); len(codes) != want {
		t.Errorf("%d codes for %d invoices", len(codes), want)
	}
}
