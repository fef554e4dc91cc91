package rules

import (
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
)

// The kinds of Concepto.
const (
	products            = 1
	services            = 2
	productsAndServices = 3
)

func isConcepto(n int32) bool { return n >= products && n <= productsAndServices }

// dateRules are about Concepto and the date of the invoice.
var dateRules = []rule{
	{
		codes: codes{cae.exc(10030), caea.exc(713)}, invoice: conceptIsKnown,
		es: "Concepto debe ser 1 (productos), 2 (servicios) o 3 (productos y servicios).",
		en: "Concepto is not 1, 2 or 3.",
	},
	{
		// The service's own example of 2013 answers 10030. Which codes it had is known
		// from the tables of 2018-08-01 on, and there it is 10085.
		codes: codes{cae.exc(10030)}, until: "20180731", unlisted: true, also: []Source{byAge}, types: ofClass(wsfev1.Class49), invoice: usedGoodsAreProducts,
		es: "En la compra de bienes usados, Concepto debe ser 1 (productos).",
		en: "Concepto is not 1 in a purchase of used goods, until 2018.",
	},
	{
		codes: codes{cae.exc(10085)}, from: "20180801", types: ofClass(wsfev1.Class49), invoice: usedGoodsAreProducts,
		es: "En la compra de bienes usados, Concepto debe ser 1 (productos).",
		en: "Concepto is not 1 in a purchase of used goods.",
	},
	{
		codes: codes{cae.exc(10016)}, types: not(wsfev1.IsFCE), invoice: dateIsNear,
		es: "CbteFch debe estar a no más de 5 días de hoy, o de 10 si hay servicios.",
		en: "CbteFch is not a day, or is more than 5 days from today (10 with services).",
	},
	{
		codes: codes{cae.exc(10016)}, types: fceInvoice, invoice: func(c *invoiceCheck) { c.dateWithin(5, 1) },
		es: "En una factura FCE, CbteFch va desde 5 días antes de hoy hasta mañana.",
		en: "CbteFch of a credit invoice MiPyME is not a day from 5 days before today to tomorrow.",
	},
	{
		codes: codes{cae.exc(10016)}, types: fceNote, invoice: func(c *invoiceCheck) { c.dateWithin(5, 0) },
		es: "En una nota FCE, CbteFch va desde 5 días antes de hoy hasta hoy.",
		en: "CbteFch of a note of a credit invoice MiPyME is not a day from 5 days before today to today.",
	},
	{
		codes: codes{cae.exc(10152)}, from: "20180801", types: not(wsfev1.IsFCE), invoice: futureProductsAreOfThisMonth,
		es: monthES, en: monthEN,
	},
	{
		// The notes of an FCE have no future date at all.
		codes: codes{cae.exc(10152)}, from: "20180801", types: fceInvoice,
		invoice: func(c *invoiceCheck) { c.futureIsOfThisMonth(1) },
		es:      monthES, en: monthEN,
	},
	{
		codes: codes{caea.exc(783)}, invoice: dateIsSent,
		es: "CbteFch es obligatoria con CAEA, y debe ser un día del calendario, aaaammdd.",
		en: "CbteFch is missing or is not a day.",
	},
	{
		codes: codes{caea.exc(702)},
		es:    "CbteFch está fuera de la vigencia del CAEA.",
		en:    "CbteFch is outside the validity of the CAEA.",
	},
}

const (
	monthES = "CbteFch puede ser futura solo dentro del mes en curso."
	monthEN = "CbteFch is in the future and in another month than today."
)

func conceptIsKnown(c *invoiceCheck) {
	if !c.isConcepto(c.Concepto) {
		c.wrong("Concepto", number(c.Concepto), "1, 2 o 3")
	}
}

func usedGoodsAreProducts(c *invoiceCheck) {
	if isConcepto(c.Concepto) && c.Concepto != products {
		c.wrong("Concepto", number(c.Concepto), "1")
	}
}

// dateIsNear takes the wide window of services for a Concepto that is not known:
// what lies outside it is wrong for every Concepto.
func dateIsNear(c *invoiceCheck) {
	if c.Concepto == products {
		c.dateWithin(5, 5)
	} else {
		c.dateWithin(10, 10)
	}
}

// dateWithin finds a CbteFch outside so many days around today. One that was not
// sent is today's.
func (c *invoiceCheck) dateWithin(before, after int) {
	if c.CbteFch == "" {
		return
	}
	first, last := c.calendar.daysAgo[before], c.calendar.daysAhead[after]
	// A text between two days is not yet a day: 20261032.
	if c.CbteFch < first || c.CbteFch > last || !c.CbteFch.Valid() {
		c.wrong("CbteFch", string(c.CbteFch), string(first)+" a "+string(last)).Text = c.lateInWords(first, last)
	}
}

// lateInWords words a CbteFch that is outside its window.
func (c *invoiceCheck) lateInWords(first, last wsfev1.Date) string {
	if !c.CbteFch.Valid() {
		return noDay("CbteFch", c.CbteFch)
	}
	return "CbteFch " + validate.DayText(c.CbteFch) + " está fuera de plazo: " + c.goods() + " se admite del " + spanText(first, last)
}

// noDay words a date that is no day.
func noDay(member string, d wsfev1.Date) string {
	return member + " " + quoted(string(d)) + " no es un día del calendario: escríbala aaaammdd, como 20261115"
}

// endOfMonth is the last day of this month. It is asked for where that is near.
func (c *calendar) endOfMonth() wsfev1.Date {
	last := c.today
	for _, d := range c.daysAhead {
		if d.SameMonth(c.today) {
			last = d
		}
	}
	return last
}

// goods names the kind of invoice, as far as its dates depend on it.
func (c *invoiceCheck) goods() string {
	switch {
	case fceInvoice(c.CbteTipo):
		return "para una factura FCE"
	case wsfev1.IsFCE(c.CbteTipo):
		return "para una nota FCE"
	case c.Concepto == products:
		return "para productos"
	}
	return "para servicios"
}

func futureProductsAreOfThisMonth(c *invoiceCheck) {
	if c.Concepto == products {
		c.futureIsOfThisMonth(5)
	}
}

// futureIsOfThisMonth leaves a date that is further ahead than it may be to 10016.
func (c *invoiceCheck) futureIsOfThisMonth(ahead int) {
	today := c.calendar.today
	if c.CbteFch <= today || c.CbteFch > c.calendar.daysAhead[ahead] || !c.CbteFch.Valid() || c.CbteFch.SameMonth(today) {
		return
	}
	f := c.wrong("CbteFch", string(c.CbteFch), "hasta el último día de "+string(today[:len("yyyymm")]))
	f.Text = "CbteFch " + validate.DayText(c.CbteFch) + " es futura y de otro mes: " + c.goods() + " se admite hasta el " + validate.DayText(c.calendar.endOfMonth())
}

func dateIsSent(c *invoiceCheck) {
	if c.CbteFch.Valid() {
		return
	}
	if f := c.wrong("CbteFch", string(c.CbteFch), "aaaammdd"); f.Got != "" {
		f.Text = noDay("CbteFch", c.CbteFch)
	}
}
