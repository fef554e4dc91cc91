package rules

import (
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
)

// numberRules are about the numbers of the invoice and their sequence.
var numberRules = []rule{
	{
		codes: codes{cae.exc(10008)}, invoice: func(c *invoiceCheck) { c.voucherNumber("CbteDesde", c.CbteDesde) },
		es: "CbteDesde debe estar entre 1 y 99999999.",
		en: "CbteDesde is not between 1 and 99999999.",
	},
	{
		codes: codes{cae.exc(10010)}, invoice: func(c *invoiceCheck) { c.voucherNumber("CbteHasta", c.CbteHasta) },
		es: "CbteHasta debe estar entre 1 y 99999999.",
		en: "CbteHasta is not between 1 and 99999999.",
	},
	{
		codes: codes{caea.exc(784)},
		invoice: func(c *invoiceCheck) {
			c.voucherNumber("CbteDesde", c.CbteDesde)
			c.voucherNumber("CbteHasta", c.CbteHasta)
		},
		es: "CbteDesde y CbteHasta deben estar entre 1 y 99999999.",
		en: "CbteDesde or CbteHasta is not between 1 and 99999999.",
	},
	{
		codes: codes{cae.exc(10011), caea.exc(1416)}, types: plainB, invoice: rangeIsNotReversed,
		es: "CbteHasta debe ser igual o mayor que CbteDesde.",
		en: "CbteHasta is less than CbteDesde.",
	},
	{
		codes: codes{cae.exc(10011), caea.exc(1433)}, types: ofClass(wsfev1.ClassC), invoice: isNoRange,
		es: "En clase C, CbteHasta debe ser igual a CbteDesde.",
		en: "CbteHasta is not CbteDesde in class C.",
	},
	{
		codes: codes{cae.exc(10012)}, types: all(issuable, not(plainB)), invoice: isNoRange,
		es: "Solo la clase B que no es FCE admite rangos: CbteHasta debe ser igual a CbteDesde.",
		en: "CbteHasta is not CbteDesde: only vouchers of class B that are not FCE may be a range.",
	},
	{
		// Class ALEY is not named here by the service, and class C has 1433.
		codes: codes{caea.exc(711)}, types: singleInCAEA, invoice: isNoRange,
		es: "Los comprobantes de clase A y las FCE no admiten un rango: CbteHasta debe ser igual a CbteDesde.",
		en: "CbteHasta is not CbteDesde in class A or in a credit invoice MiPyME.",
	},
	{
		codes: codes{cae.seq(10016)}, invoice: func(c *invoiceCheck) { c.followsNumber(); c.followsDate() },
		es: "El número no sigue al último del punto de venta y tipo, o la fecha es anterior a la de ese último.",
		en: "The number is not the next one of its series, or the date is earlier than that of the last voucher.",
	},
	{
		codes: codes{caea.seq(703)}, invoice: (*invoiceCheck).followsNumber,
		also: []Source{bySeverity},
		es:   "El número no sigue al último informado del punto de venta y tipo.",
		en:   "The number is not the next one of its series.",
	},
	{
		codes: codes{caea.seq(704)}, invoice: (*invoiceCheck).followsDate,
		also: []Source{bySeverity},
		es:   "CbteFch es anterior a la del último comprobante informado del punto de venta y tipo.",
		en:   "CbteFch is earlier than that of the last voucher of its series.",
	},
}

// plainB are the types that may be a range: class B without its FCE.
var plainB = all(ofClass(wsfev1.ClassB), not(wsfev1.IsFCE))

func singleInCAEA(t int32) bool { return wsfev1.ClassOf(t) == wsfev1.ClassA || wsfev1.IsFCE(t) }

// maxNumber is the largest number of a voucher.
const maxNumber = 99999999

func isVoucherNumber(n int64) bool { return n >= 1 && n <= maxNumber }

func (c *invoiceCheck) voucherNumber(member string, n int64) {
	if !isVoucherNumber(n) {
		f := c.wrong(member, number(n), "1 a 99999999")
		if f.Text = member + " es " + f.Got + ": debe estar entre 1 y 99999999"; f.Got == "" {
			f.Text = "Falta " + member + ": debe estar entre 1 y 99999999"
		}
	}
}

// numbersAre reports whether both numbers can be numbers at all. Where they cannot,
// comparing them would only repeat that.
func numbersAre(d *wsfev1.FECAEDetRequest) bool {
	return isVoucherNumber(d.CbteDesde) && isVoucherNumber(d.CbteHasta)
}

func rangeIsNotReversed(c *invoiceCheck) {
	if numbersAre(c.FECAEDetRequest) && c.CbteHasta < c.CbteDesde {
		f := c.wrong("CbteHasta", number(c.CbteHasta), number(c.CbteDesde)+" o más")
		f.Text = "CbteHasta " + number(c.CbteHasta) + " es menor que CbteDesde " + number(c.CbteDesde)
	}
}

func isNoRange(c *invoiceCheck) {
	if numbersAre(c.FECAEDetRequest) && c.CbteHasta != c.CbteDesde {
		f := c.wrong("CbteHasta", number(c.CbteHasta), number(c.CbteDesde))
		f.Text = "CbteHasta " + number(c.CbteHasta) + " no es CbteDesde " + number(c.CbteDesde) + ": solo la clase B que no es FCE admite rangos; envíe un comprobante por número"
	}
}

// followsNumber compares with the invoice before in the lot. The number that the
// first must have is known to the service alone.
func (c *invoiceCheck) followsNumber() {
	before := c.previous()
	if before == nil || !isVoucherNumber(c.CbteDesde) || !numbersAre(before) || before.CbteHasta < before.CbteDesde {
		return
	}
	if next := before.CbteHasta + 1; c.CbteDesde != next {
		f := c.find(c.pointer("CbteDesde"))
		f.Expected, f.Got = number(next), number(c.CbteDesde)
		f.Text = "CbteDesde es " + f.Got + " y el comprobante anterior del lote termina en " + number(before.CbteHasta) + ": el que sigue es " + f.Expected
	}
}

// followsDate compares with the invoice before in the lot. One without a date has
// today's.
func (c *invoiceCheck) followsDate() {
	before := c.previous()
	if before == nil {
		return
	}
	last := before.CbteFch
	if last == "" {
		last = c.calendar.today
	}
	if date := c.date(); date < last && date.Valid() && last.Valid() {
		f := c.find(c.pointer("CbteFch"))
		f.Expected, f.Got = string(last)+" o posterior", string(date)
		f.Text = "La fecha " + validate.DayText(date) + " es anterior a la del comprobante anterior del lote, " + validate.DayText(last) + ": ordene el lote por fecha"
	}
}
