package rules

import "github.com/fielato/fielato/wsfev1"

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
		es: "Concepto debe ser 1 (bienes), 2 (servicios) o 3 (ambos).",
		en: "Concepto is not 1, 2 or 3.",
	},
	{
		// The service's own example of 2013 answers 10030. Which codes it had is known
		// from the tables of 2018-08-01 on, and there it is 10085.
		codes: codes{cae.exc(10030)}, until: "20180731", unlisted: true, also: []Source{byAge}, types: ofClass(wsfev1.Class49), invoice: usedGoodsAreProducts,
		es: "En la compra de bienes usados, Concepto debe ser 1 (bienes).",
		en: "Concepto is not 1 in a purchase of used goods, until 2018.",
	},
	{
		codes: codes{cae.exc(10085)}, types: ofClass(wsfev1.Class49), invoice: usedGoodsAreProducts,
		es: "En la compra de bienes usados, Concepto debe ser 1.",
		en: "Concepto is not 1 in a purchase of used goods.",
	},
	{
		codes: codes{cae.exc(10016)}, types: not(wsfev1.IsFCE), invoice: dateIsNear,
		es: "CbteFch debe ser un día del calendario, aaaammdd, a no más de 5 días de hoy, o de 10 si hay servicios.",
		en: "CbteFch is not a day, or is more than 5 days from today (10 with services).",
	},
	{
		codes: codes{cae.exc(10016)}, types: fceInvoice, invoice: func(c *invoiceCheck) { c.dateWithin(5, 1) },
		es: "En una FCE, CbteFch debe ser un día del calendario, desde 5 días antes de hoy hasta mañana.",
		en: "CbteFch of a credit invoice MiPyME is not a day from 5 days before today to tomorrow.",
	},
	{
		codes: codes{cae.exc(10016)}, types: fceNote, invoice: func(c *invoiceCheck) { c.dateWithin(5, 0) },
		es: "En una nota de FCE, CbteFch debe ser un día del calendario, desde 5 días antes de hoy hasta hoy.",
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
		es: "CbteFch es obligatoria y debe ser un día del calendario, aaaammdd.",
		en: "CbteFch is missing or is not a day.",
	},
	{
		codes: codes{caea.exc(702)},
		es:    "CbteFch está fuera de la vigencia del CAEA.",
		en:    "CbteFch is outside the validity of the CAEA.",
	},
}

const (
	monthES = "Una CbteFch futura debe ser del mes en curso."
	monthEN = "CbteFch is in the future and in another month than today."
)

func conceptIsKnown(c *invoiceCheck) {
	if !isConcepto(c.Concepto) {
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
		c.wrong("CbteFch", string(c.CbteFch), string(first)+" a "+string(last))
	}
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
	c.wrong("CbteFch", string(c.CbteFch), "hasta el último día de "+string(today[:len("yyyymm")]))
}

func dateIsSent(c *invoiceCheck) {
	if !c.CbteFch.Valid() {
		c.wrong("CbteFch", string(c.CbteFch), "aaaammdd")
	}
}
