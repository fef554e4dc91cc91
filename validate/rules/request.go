package rules

import "github.com/fielato/fielato/wsfev1"

// requestRules are about the requests for one invoice, for the last number of a
// series, for a rate and for the conditions of receivers.
var requestRules = []rule{
	{
		codes: codes{ultimoAutorizado.err(11000)}, request: func(c *requestCheck) {
			c.pointOfSale("/PtoVta", c.req.Body.(*wsfev1.FECompUltimoAutorizadoRequest).PtoVta, 1)
		},
		es: "PtoVta debe estar entre 1 y 99998.",
		en: "PtoVta is not between 1 and 99998.",
	},
	{
		codes: codes{ultimoAutorizado.err(11001)}, request: lastOfATypeThatIsIssued,
		es: "CbteTipo debe ser un tipo de comprobante que este servicio autorice: consulte FEParamGetTiposCbte.",
		en: "CbteTipo is not a type that the service authorises.",
	},
	{
		codes: codes{ultimoAutorizado.err(11002)},
		es:    "El punto de venta no está habilitado para web service.",
		en:    "The point of sale is not one for web services.",
	},
	{
		codes: codes{compConsultar.err(10200)}, request: func(c *requestCheck) {
			c.pointOfSale("/FeCompConsReq/PtoVta", c.req.Body.(*wsfev1.FECompConsultarRequest).FeCompConsReq.PtoVta, 1)
		},
		es: "PtoVta debe estar entre 1 y 99998.",
		en: "PtoVta is missing or not between 1 and 99998.",
	},
	{
		codes: codes{compConsultar.err(10201)}, request: askedTypeIsOne,
		es: "CbteTipo debe ser un tipo de comprobante de FEParamGetTiposCbte.",
		en: "CbteTipo is missing or no type of voucher.",
	},
	{
		codes: codes{compConsultar.err(10202)}, request: askedNumberIsOne,
		es: "CbteNro debe estar entre 1 y 99999999: tiene a lo sumo 8 dígitos.",
		en: "CbteNro is missing, not greater than 0, or has more than 8 digits.",
	},
	{
		codes: codes{compConsultar.err(10104)},
		es:    "El punto de venta no está registrado.",
		en:    "The point of sale is not registered.",
	},
	{
		codes: codes{cotizacion.err(12000)}, request: askedCurrencyIsKnown,
		es: "MonId debe ser una moneda de FEParamGetTiposMonedas.",
		en: "MonId is not one of FEParamGetTiposMonedas.",
	},
	{
		codes: codes{cotizacion.err(12001)}, request: askedCurrencyIsSent,
		es: "Falta MonId: consulte FEParamGetTiposMonedas.",
		en: "MonId is missing.",
	},
	{
		codes: codes{cotizacion.err(12002)}, request: askedDayIsOne,
		es: "FchCotiz debe ser un día del calendario, aaaammdd.",
		en: "FchCotiz is no day written yyyymmdd.",
	},
	{
		codes: codes{condicionIVA.err(10244)}, from: conditionInForce, request: askedClassIsOne,
		es: "ClaseCmp debe ser A, ALEY, B, C o 49.",
		en: "ClaseCmp is not a class of vouchers.",
	},
}

// wrong adds a finding about a member that got a value where another was expected.
// Either may be left out.
func (c *requestCheck) wrong(pointer, got, expected string) {
	c.explain(c.find(pointer), got, expected)
}

// pointOfSale finds a point of sale that is out of its range.
func (c *requestCheck) pointOfSale(pointer string, ptoVta, least int32) {
	if ptoVta < least || ptoVta > maxPtoVta {
		c.wrong(pointer, number(ptoVta), "")
	}
}

func lastOfATypeThatIsIssued(c *requestCheck) {
	if t := c.req.Body.(*wsfev1.FECompUltimoAutorizadoRequest).CbteTipo; !c.isIssuable(t) {
		c.wrong("/CbteTipo", number(t), "")
	}
}

// askedTypeIsOne lets a delivery note pass: the service answers that it is not found.
func askedTypeIsOne(c *requestCheck) {
	if t := c.req.Body.(*wsfev1.FECompConsultarRequest).FeCompConsReq.CbteTipo; !c.isIssuable(t) && !wsfev1.IsRemito(t) {
		c.wrong("/FeCompConsReq/CbteTipo", number(t), "")
	}
}

// askedNumberIsOne also finds a number of nine digits: "supera el tamaño permitido de 8
// caracteres", the service answers.
func askedNumberIsOne(c *requestCheck) {
	if n := c.req.Body.(*wsfev1.FECompConsultarRequest).FeCompConsReq.CbteNro; !isVoucherNumber(n) {
		c.wrong("/FeCompConsReq/CbteNro", number(n), "")
	}
}

func askedCurrencyIsKnown(c *requestCheck) {
	if id := c.req.Body.(*wsfev1.FEParamGetCotizacionRequest).MonId; id != "" && !c.isMoneda(id) {
		c.wrong("/MonId", id, "")
	}
}

func askedCurrencyIsSent(c *requestCheck) {
	if c.req.Body.(*wsfev1.FEParamGetCotizacionRequest).MonId == "" {
		c.find("/MonId")
	}
}

func askedDayIsOne(c *requestCheck) {
	if day := c.req.Body.(*wsfev1.FEParamGetCotizacionRequest).FchCotiz; day != "" && !day.Valid() {
		c.wrong("/FchCotiz", string(day), "")
	}
}

// askedClassIsOne also lets pass what earlier descriptions of the service call two
// of the classes: M and BU.
func askedClassIsOne(c *requestCheck) {
	switch class := c.req.Body.(*wsfev1.FEParamGetCondicionIvaReceptorRequest).ClaseCmp; class {
	case "", "A", "ALEY", "B", "C", "49", "M", "BU":
	default:
		c.wrong("/ClaseCmp", class, "A, ALEY, B, C o 49")
	}
}
