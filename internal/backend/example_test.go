package backend_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/fielato/fielato/internal/backend"
	"github.com/fielato/fielato/internal/backend/sqlite"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/validate/rules"
	"github.com/fielato/fielato/wsfev1"
)

// A backend on a ledger authorises an invoice for a program under test.
func Example() {
	folder, err := os.MkdirTemp("", "ledger")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(folder)
	ledger, err := sqlite.Open(filepath.Join(folder, "ledger.db"))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer ledger.Close()

	judge, err := rules.NewRules(rules.Settings{DecidesState: true, Environment: rules.Production})
	if err != nil {
		fmt.Println(err)
		return
	}
	service, err := backend.New(ledger, backend.Options{
		Judge: judge.Judge,
		Clock: func() time.Time { return time.Date(2026, 11, 20, 12, 0, 0, 0, wsfev1.Argentina) },
	})
	if err != nil {
		fmt.Println(err)
		return
	}

	condition := int32(5)
	request := &wsfev1.FECAESolicitarRequest{
		Auth: wsfev1.Auth{Token: "token", Sign: "sign", Cuit: 20267565393},
		FeCAEReq: wsfev1.FeCAEReq{
			FeCabReq: wsfev1.FeCabReq{CantReg: 1, PtoVta: 1, CbteTipo: 6},
			FeDetReq: wsfev1.FeCAEDetReq{FECAEDetRequest: []wsfev1.FECAEDetRequest{{
				Concepto: 1, DocTipo: 99, CbteDesde: 1, CbteHasta: 1, CbteFch: "20261120",
				ImpTotal: wsfev1.MustAmount("121.00"), ImpNeto: wsfev1.MustAmount("100.00"), ImpIVA: wsfev1.MustAmount("21.00"),
				MonId: "PES", MonCotiz: wsfev1.MustAmount("1"), CondicionIVAReceptorId: &condition,
				Iva: &wsfev1.Iva{AlicIva: []wsfev1.AlicIva{{Id: 5, BaseImp: wsfev1.MustAmount("100.00"), Importe: wsfev1.MustAmount("21.00")}}},
			}}},
		},
	}
	answer, err := service.Answer(context.Background(), &validate.Request{Operation: wsfev1.OperationByName("FECAESolicitar"), Body: request})
	if err != nil {
		fmt.Println(err)
		return
	}
	verdict := wsfev1.VerdictOf(answer)
	fmt.Println(verdict.Resultado, verdict.Invoices[0].CbteDesde, verdict.Invoices[0].Expires, len(verdict.Invoices[0].Code))
	// Output:
	// A 1 20261130 14
}
