package rules

import (
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
)

// asocDateRules are about the dates of the vouchers that an invoice refers to.
var asocDateRules = []rule{
	{
		// The notes of credit invoices MiPyME have a stricter rule of their own, 10159. It observes: the
		// manual means vouchers that were authorised electronically, which an edge cannot know.
		codes: codes{cae.exc(10210), caea.obs(1501)}, types: plainNote, level: validate.Observe, with: withCbtesAsoc, invoice: laterAsocsAreOfTheMonth,
		also: []Source{byWeakGround},
		es:   "La fecha del comprobante asociado es posterior a la de la nota y de otro mes.",
		en:   "The associated voucher is later than the note and of another month.",
	},
	{
		// Whether the associated point of sale is a fiscal printer or of FactuWeb is for
		// the service to know, and so is rule 10212.
		codes: codes{cae.exc(10211), caea.exc(1502)},
		es:    "Falta CbteAsoc.CbteFch: es obligatoria si el punto de venta asociado es controlador fiscal o FactuWeb.",
		en:    "CbteAsoc.CbteFch is missing where the associated point of sale is a fiscal printer or of FactuWeb.",
	},
	{
		codes: codes{cae.exc(10212), caea.exc(1503)},
		es:    "CbteAsoc.CbteFch no puede ser posterior a hoy si el punto de venta asociado es controlador fiscal o FactuWeb.",
		en:    "CbteAsoc.CbteFch is after today where the associated point of sale is a fiscal printer or of FactuWeb.",
	},
	{
		codes: codes{cae.exc(10213), caea.exc(1504)}, with: withCbtesAsoc, invoice: asocDatesAreDays,
		es: "CbteAsoc.CbteFch debe ser un día del calendario, aaaammdd.",
		en: "CbteAsoc.CbteFch is no day written yyyymmdd.",
	},
}

// voucherDay returns the day of the invoice where it is a day: one that is not,
// and one that is missing where there must be one, are other rules'.
func (c *invoiceCheck) voucherDay() (wsfev1.Date, bool) {
	if c.CbteFch == "" && c.CAEA != nil {
		return "", false // rule 783: today does not stand in for it
	}
	day := c.date()
	return day, day.Valid()
}

func laterAsocsAreOfTheMonth(c *invoiceCheck) {
	day, ok := c.voucherDay()
	if !ok {
		return
	}
	for i := range c.asocs() {
		if d := c.asocs()[i].CbteFch; d > day && d.Valid() && !d.SameMonth(day) {
			f := c.wrongItem(asocList, i, "CbteFch", string(d), "a lo sumo del mes de "+string(day))
			f.Text = "El comprobante asociado es del " + validate.DayText(d) + ", posterior a la nota, del " + validate.DayText(day) + ", y de otro mes"
		}
	}
}

func asocDatesAreDays(c *invoiceCheck) {
	for i := range c.asocs() {
		if d := c.asocs()[i].CbteFch; d != "" && !d.Valid() {
			c.wrongItem(asocList, i, "CbteFch", string(d), "una fecha aaaammdd").Text = noDay("CbteAsoc.CbteFch", d)
		}
	}
}
