package rules

import (
	"strconv"

	"github.com/fielato/fielato/wsfev1"
)

// lotRules are about the issuer and the header of a lot.
var lotRules = []rule{
	{
		codes: both(10000),
		es:    "El emisor no está habilitado para emitir este comprobante.",
		en:    "The issuer is not entitled to issue this voucher.",
	},
	{
		codes: both(10001), lot: quantityInRange,
		es: "CantReg debe estar entre 1 y 9998.",
		en: "CantReg is not between 1 and 9998.",
	},
	{
		codes: both(10002), lot: quantityIsNumberOfInvoices,
		es: "CantReg no es la cantidad de comprobantes del detalle.",
		en: "CantReg is not the number of invoices in the lot.",
	},
	{
		codes: both(10003), lot: lotIsNotTooLarge,
		also: []Source{byLotSize},
		es:   "El lote supera la cantidad máxima de comprobantes por pedido.",
		en:   "The lot is larger than FECompTotXRequest allows, or has more than one FCE voucher.",
	},
	{
		codes: codes{cae.err(10004), caea.err(1300)}, lot: pointOfSaleInRange,
		es: "PtoVta debe estar entre 1 y 99998.",
		en: "PtoVta is not between 1 and 99998.",
	},
	{
		codes: codes{cae.err(10005)},
		es:    "El punto de venta no está registrado o no es de web service.",
		en:    "The point of sale is not registered, or is not one for web services.",
	},
	{
		codes: codes{cae.err(10006)}, lot: typeIsPositive,
		es: "CbteTipo debe ser mayor que 0.",
		en: "CbteTipo is not greater than 0.",
	},
	{
		codes: codes{cae.err(10007)}, lot: typeCanBeIssued,
		es: "CbteTipo debe ser un tipo de comprobante que este servicio autorice: consulte FEParamGetTiposCbte.",
		en: "CbteTipo is not a type that the service authorises.",
	},
	{
		codes: codes{caea.err(700)}, lot: typeCanBeReported,
		es: "CbteTipo debe ser un tipo de comprobante que se informe por CAEA.",
		en: "CbteTipo is not a type that is reported under a CAEA.",
	},
}

func quantityInRange(c *lotCheck) {
	if n := c.Header.CantReg; n < 1 || n > 9998 {
		c.wrong("CantReg", n)
	}
}

func quantityIsNumberOfInvoices(c *lotCheck) {
	if n := c.invoices(); int(c.Header.CantReg) != n {
		f := c.wrong("CantReg", c.Header.CantReg)
		f.Expected = strconv.Itoa(n)
		f.Text = "CantReg es " + number(c.Header.CantReg) + " y el detalle tiene " + count(n, "comprobante", "comprobantes") + ": deben coincidir"
	}
}

func lotIsNotTooLarge(c *lotCheck) {
	limit := c.rules.LargestLot()
	if c.req.Unread > 0 {
		limit = c.Len() // by which it was read
	}
	if wsfev1.IsFCE(c.Header.CbteTipo) {
		limit = 1
	}
	if n := c.invoices(); n > limit {
		f := c.find(c.DetailPointer)
		f.Expected, f.Got = "a lo sumo "+strconv.Itoa(limit), strconv.Itoa(n)
		f.Text = "El lote tiene " + f.Got + " comprobantes: envíe hasta " + strconv.Itoa(limit) + " por pedido"
		if limit == 1 {
			f.Text = "El lote tiene " + f.Got + " comprobantes FCE: envíelos de a uno por pedido"
		}
	}
}

// invoices returns how many invoices the lot has, also those that were not read.
func (c *lotCheck) invoices() int { return c.Len() + c.req.Unread }

func pointOfSaleInRange(c *lotCheck) {
	if n := c.Header.PtoVta; n < 1 || n > maxPtoVta {
		c.wrong("PtoVta", n)
	}
}

// maxPtoVta is the largest point of sale.
const maxPtoVta = 99998

func typeIsPositive(c *lotCheck) {
	if c.Header.CbteTipo <= 0 {
		c.wrong("CbteTipo", c.Header.CbteTipo)
	}
}

func typeCanBeIssued(c *lotCheck) {
	if t := c.Header.CbteTipo; t > 0 && !c.isIssuable(t) {
		c.wrong("CbteTipo", t)
	}
}

// typeCanBeReported has a list of its own, which says nothing about a type that came later.
func typeCanBeReported(c *lotCheck) {
	if t := c.Header.CbteTipo; !wsfev1.IsInformable(t) && (issuable(t) || !c.isIssuable(t)) {
		c.wrong("CbteTipo", t)
	}
}
