package rules

import (
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
)

// serviceDateRules are about the period of a service and the date of payment. FCE
// have rules of their own for the latter: their invoices always bear it, their notes
// only where they annul (docs/sources.md#fce).
var serviceDateRules = []rule{
	{
		codes: codes{cae.exc(10049)}, types: outsideFCE,
		invoice: func(c *invoiceCheck) { c.serviceDatesAreThere(true) },
		es:      neededES, en: neededEN,
	},
	{
		codes: codes{cae.exc(10049)}, types: wsfev1.IsFCE,
		invoice: func(c *invoiceCheck) { c.serviceDatesAreThere(false) },
		es:      neededES, en: neededEN,
	},
	{
		codes: codes{cae.exc(10031)}, types: outsideFCE,
		invoice: func(c *invoiceCheck) { c.goesWithOthers("FchServDesde", c.FchServDesde) },
		es:      "Falta FchServDesde: informe las tres fechas del servicio, o ninguna.",
		en:      "FchServDesde is missing beside FchServHasta or FchVtoPago.",
	},
	{
		codes: codes{cae.exc(10033)}, types: outsideFCE,
		invoice: func(c *invoiceCheck) { c.goesWithOthers("FchServHasta", c.FchServHasta) },
		es:      "Falta FchServHasta: informe las tres fechas del servicio, o ninguna.",
		en:      "FchServHasta is missing beside FchServDesde or FchVtoPago.",
	},
	{
		codes: codes{cae.exc(10035)}, types: outsideFCE,
		invoice: func(c *invoiceCheck) { c.goesWithOthers("FchVtoPago", c.FchVtoPago) },
		es:      "Falta FchVtoPago: informe las tres fechas del servicio, o ninguna.",
		en:      "FchVtoPago is missing beside FchServDesde or FchServHasta.",
	},
	{
		codes: codes{cae.exc(10032), caea.obs(1412)}, invoice: periodIsNotReversed,
		es: "FchServHasta no puede ser anterior a FchServDesde.",
		en: "FchServDesde is later than FchServHasta.",
	},
	{
		// 10164 finds the same in FCE invoices, and more.
		codes: codes{cae.exc(10036), caea.obs(1411)}, types: all(issuable, not(fceInvoice)), invoice: paymentIsNotBeforeInvoice,
		es: "FchVtoPago no puede ser anterior a la fecha del comprobante.",
		en: "FchVtoPago is earlier than CbteFch.",
	},
	{
		codes: codes{caea.obs(727)}, invoice: func(c *invoiceCheck) { c.isForServices("FchServDesde", c.FchServDesde) },
		es: "Con Concepto 1 (productos) no se informa FchServDesde.",
		en: "FchServDesde is sent with Concepto 1.",
	},
	{
		codes: codes{caea.obs(728)}, invoice: func(c *invoiceCheck) { c.isForServices("FchServHasta", c.FchServHasta) },
		es: "Con Concepto 1 (productos) no se informa FchServHasta.",
		en: "FchServHasta is sent with Concepto 1.",
	},
	{
		codes: codes{caea.obs(729)}, types: outsideFCE,
		invoice: func(c *invoiceCheck) { c.isForServices("FchVtoPago", c.FchVtoPago) },
		es:      "Con Concepto 1 (productos) no se informa FchVtoPago.",
		en:      "FchVtoPago is sent with Concepto 1.",
	},
	{
		codes: codes{caea.obs(1413)}, invoice: serviceDatesAreDays,
		es: "Las fechas del servicio deben ser días del calendario, aaaammdd.",
		en: "FchServDesde, FchServHasta or FchVtoPago is not a day.",
	},
}

const (
	neededES = "Con Concepto 2 o 3 son obligatorias FchServDesde, FchServHasta y, salvo en las FCE, FchVtoPago, en la forma aaaammdd."
	neededEN = "A date of the service is missing with Concepto 2 or 3, or is not a day; FchVtoPago is not asked of FCE here."
)

// outsideFCE are the types that are no FCE; one that cannot be issued is neither.
var outsideFCE = all(issuable, not(wsfev1.IsFCE))

// serviceDatesAreThere leaves Concepto 1 alone even where a date is no day: clients
// write what they like into dates that do not matter.
func (c *invoiceCheck) serviceDatesAreThere(payment bool) {
	if c.Concepto != services && c.Concepto != productsAndServices {
		return
	}
	c.serviceDate("FchServDesde", c.FchServDesde, true)
	c.serviceDate("FchServHasta", c.FchServHasta, true)
	c.serviceDate("FchVtoPago", c.FchVtoPago, payment)
}

func (c *invoiceCheck) serviceDate(member string, date wsfev1.Date, mustBeThere bool) {
	if date.Valid() || date == "" && !mustBeThere {
		return
	}
	f := c.find(c.pointer(member))
	f.Expected, f.Got = "aaaammdd", validate.Printable(string(date))
	f.Text = noDay(member, date)
	if date == "" {
		f.Text = "Falta " + member + ": con Concepto " + number(c.Concepto) + " es obligatoria, en la forma aaaammdd"
	}
}

// goesWithOthers finds a date that was left out while another of the three was sent. With
// services 10049 finds it.
func (c *invoiceCheck) goesWithOthers(member string, date wsfev1.Date) {
	if date != "" || c.Concepto != products {
		return
	}
	if c.FchServDesde.Valid() || c.FchServHasta.Valid() || c.FchVtoPago.Valid() {
		f := c.find(c.pointer(member))
		f.Expected = "las tres fechas, o ninguna"
		f.Text = "Falta " + member + ": informe las tres fechas del servicio, o ninguna"
	}
}

func periodIsNotReversed(c *invoiceCheck) {
	if c.FchServDesde > c.FchServHasta && c.FchServDesde.Valid() && c.FchServHasta.Valid() {
		f := c.wrong("FchServHasta", string(c.FchServHasta), string(c.FchServDesde)+" o posterior")
		f.Text = "FchServHasta " + validate.DayText(c.FchServHasta) + " es anterior a FchServDesde " + validate.DayText(c.FchServDesde)
	}
}

func paymentIsNotBeforeInvoice(c *invoiceCheck) {
	if date, ok := c.voucherDay(); ok && c.FchVtoPago < date && c.FchVtoPago.Valid() {
		f := c.wrong("FchVtoPago", string(c.FchVtoPago), string(date)+" o posterior")
		f.Text = "FchVtoPago " + validate.DayText(c.FchVtoPago) + " es anterior a la fecha del comprobante, " + validate.DayText(date)
	}
}

func (c *invoiceCheck) isForServices(member string, date wsfev1.Date) {
	if c.Concepto == products && date != "" {
		c.wrong(member, string(date), "sin informar").Text = "Con Concepto 1 (productos) no se informa " + member + ": quítela, o corrija Concepto"
	}
}

// serviceDatesAreDays skips Concepto 1, which 727 to 729 check.
func serviceDatesAreDays(c *invoiceCheck) {
	if c.Concepto != products {
		c.serviceDate("FchServDesde", c.FchServDesde, false)
		c.serviceDate("FchServHasta", c.FchServHasta, false)
		c.serviceDate("FchVtoPago", c.FchVtoPago, false)
	}
}
