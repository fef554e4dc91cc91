package wsfev1_test

import (
	"fmt"

	"github.com/fielato/fielato/wsfev1"
)

// Amounts are exact and keep their digits.
func ExampleParseAmount() {
	net, err := wsfev1.ParseAmount("1049.98")
	if err != nil {
		fmt.Println(err)
		return
	}
	rate, _ := wsfev1.IvaRate(5)
	iva := net.Mul(rate).Mul(wsfev1.AmountOf(1, 2))
	fmt.Println(iva, iva.Round(2), net.Add(iva.Round(2)))
	// Output:
	// 220.4958 220.50 1270.48
}

func ExampleOperationByName() {
	op := wsfev1.OperationByName("FECAESolicitar")
	fmt.Println(op.Family, op.Effect, wsfev1.OperationByName("fecaesolicitar") == nil)
	// Output:
	// issuing changes true
}

func ExampleClassOf() {
	fmt.Println(wsfev1.ClassOf(6), wsfev1.IsFCE(206), wsfev1.IsCreditNote(8))
	fmt.Printf("%q\n", wsfev1.ClassOf(999))
	// Output:
	// B true true
	// ""
}

func ExampleCUIT_Valid() {
	fmt.Println(wsfev1.CUIT(20267565393).Valid(), wsfev1.CUIT(20267565394).Valid())
	// Output:
	// true false
}

// A verdict is read from the answer of any operation.
func ExampleVerdictOf() {
	answer := &wsfev1.FECAESolicitarAnswer{
		FeCabResp: &wsfev1.FeCabResp{Resultado: wsfev1.Aprobado},
		FeDetResp: &wsfev1.FeCAEDetResp{FECAEDetResponse: []wsfev1.FECAEDetResponse{{
			DetResponse: wsfev1.DetResponse{CbteDesde: 42, CbteHasta: 42, Resultado: wsfev1.Aprobado},
			CAE:         "86471234567890", CAEFchVto: "20261130",
		}}},
	}
	verdict := wsfev1.VerdictOf(answer)
	fmt.Println(verdict.Resultado, verdict.Failed, verdict.Invoices[0].Code, verdict.Invoices[0].Expires)
	// Output:
	// A false 86471234567890 20261130
}
