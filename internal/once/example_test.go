package once_test

import (
	"fmt"

	"github.com/fielato/fielato/internal/once"
	"github.com/fielato/fielato/wsfev1"
)

// Two requests with the same key cannot both succeed, whatever else they hold.
func ExampleKeyOf() {
	request := &wsfev1.FECAESolicitarRequest{
		Auth: wsfev1.Auth{Cuit: 20111111112},
		FeCAEReq: wsfev1.FeCAEReq{
			FeCabReq: wsfev1.FeCabReq{CantReg: 2, PtoVta: 1, CbteTipo: 6},
			FeDetReq: wsfev1.FeCAEDetReq{FECAEDetRequest: []wsfev1.FECAEDetRequest{
				{CbteDesde: 41, CbteHasta: 41}, {CbteDesde: 42, CbteHasta: 42},
			}},
		},
	}
	key, ok := once.KeyOf(wsfev1.OperationByName("FECAESolicitar"), request)
	fmt.Println(ok, key.Desde, key.Hasta)

	_, ok = once.KeyOf(wsfev1.OperationByName("FEDummy"), &wsfev1.FEDummyRequest{})
	fmt.Println(ok)
	// Output:
	// true 41 42
	// false
}
