package rules

import "github.com/fielato/fielato/wsfev1"

// sinMovimientoRules are about a point of sale that issued nothing under an advance
// code.
var sinMovimientoRules = []rule{
	{
		codes: codes{sinMovInformar.err(1200)},
		es:    "El código informado no es un CAEA.",
		en:    "The code is not a CAEA.",
	},
	{
		codes: codes{sinMovInformar.err(1201)},
		es:    "El CAEA fue otorgado a otra CUIT.",
		en:    "The CAEA belongs to another CUIT.",
	},
	{
		codes: codes{sinMovInformar.err(1202)},
		es:    "El punto de venta tiene comprobantes informados con ese CAEA.",
		en:    "There are invoices of the point of sale under the CAEA.",
	},
	{
		codes: codes{sinMovInformar.err(1203)},
		es:    "El CAEA todavía no está vigente: informe después de su primer día.",
		en:    "The report comes on or before the first day of the CAEA.",
	},
	{
		codes: codes{sinMovInformar.err(1204)},
		es:    "El punto de venta no es de CAEA.",
		en:    "The point of sale is not one for CAEA.",
	},
	{
		codes: codes{sinMovInformar.err(1205)},
		es:    "El punto de venta no estuvo activo durante la vigencia del CAEA.",
		en:    "The point of sale was not active while the CAEA was valid.",
	},
	{
		codes: codes{sinMovInformar.err(1206)}, request: func(c *requestCheck) {
			c.pointOfSale("/PtoVta", c.sinMovimiento().PtoVta, 1)
		},
		es: "PtoVta debe estar entre 1 y 99998.",
		en: "PtoVta is not between 1 and 99998.",
	},
	{
		codes: codes{sinMovInformar.err(1207)}, request: askedCAEAHasItsDigits,
		es: "CAEA debe tener 14 dígitos.",
		en: "CAEA has not 14 digits.",
	},
	{
		codes: codes{sinMovInformar.err(1209)},
		es:    "El CAEA ya fue informado sin movimiento para este punto de venta.",
		en:    "The CAEA was reported as without movement for this point of sale.",
	},
	{
		codes: codes{sinMovConsultar.err(10100)}, request: askedCAEAHasItsDigits,
		es: "CAEA debe tener 14 dígitos.",
		en: "CAEA is missing or has not 14 digits.",
	},
	{
		// Whether 0 asks for all points of sale is open (docs/sources.md#other-requests): it may pass.
		codes: codes{sinMovConsultar.err(10101)}, request: func(c *requestCheck) {
			c.pointOfSale("/PtoVta", c.sinMovimiento().PtoVta, 0)
		},
		es: "PtoVta debe estar entre 1 y 99998, o ser 0 para consultar todos.",
		en: "PtoVta is neither between 1 and 99998 nor 0 for all.",
	},
	{
		codes: codes{sinMovConsultar.err(10102)},
		es:    "El CAEA no fue informado sin movimiento.",
		en:    "The CAEA was not reported as without movement.",
	},
	{
		codes: codes{sinMovConsultar.err(10105)},
		es:    "El punto de venta tiene comprobantes informados con ese CAEA.",
		en:    "There are invoices of the point of sale under the CAEA.",
	},
}

func (c *requestCheck) sinMovimiento() *wsfev1.FECAEASinMovimientoRequest {
	return c.req.Body.(*wsfev1.FECAEASinMovimientoRequest)
}

func askedCAEAHasItsDigits(c *requestCheck) {
	if code := c.sinMovimiento().CAEA; !areDigits(code, 14) {
		c.wrong("/CAEA", code, "14 dígitos")
	}
}
