package rules

import (
	"slices"

	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
)

// periodoRules are about the period that a note refers to. Mistakes within a period are
// looked for only in the notes that may have one.
var periodoRules = slices.Concat(asksFrom(noteSaysIt), []rule{
	{
		// Rule 10196 in FECAESolicitar.
		codes: codes{caea.exc(1490)}, types: wsfev1.IsFCE, with: withPeriodoAsoc, invoice: hasNoPeriod,
		es: "Un comprobante FCE no admite PeriodoAsoc: use CbtesAsoc.",
		en: "A credit invoice MiPyME, or its note, has a PeriodoAsoc.",
	},
	{
		codes: codes{cae.exc(10198), caea.exc(1492)}, types: plainInvoice, with: withPeriodoAsoc, invoice: hasNoPeriod,
		es: noPeriodES, en: noPeriodEN,
	},
	{
		// "Factura", the manual has. That receipts and the rest are meant too is inferred.
		codes: codes{cae.exc(10198), caea.exc(1492)}, types: all(issuable, not(wsfev1.IsNote), not(wsfev1.IsFCE), not(plainInvoice)),
		level: validate.Observe, with: withPeriodoAsoc, invoice: hasNoPeriod,
		also: []Source{byWeakGround},
		es:   noPeriodES, en: noPeriodEN,
	},
	{
		codes: codes{cae.exc(10199), caea.exc(1493)}, types: plainNote, with: withPeriodoAsoc,
		invoice: func(c *invoiceCheck) { c.periodDateIsSent("FchDesde", c.PeriodoAsoc.FchDesde) },
		es:      "Falta PeriodoAsoc.FchDesde: el primer día del período, aaaammdd.",
		en:      "PeriodoAsoc.FchDesde is missing.",
	},
	{
		codes: codes{cae.exc(10203), caea.exc(1494)}, types: plainNote, with: withPeriodoAsoc,
		invoice: func(c *invoiceCheck) { c.periodDateIsSent("FchHasta", c.PeriodoAsoc.FchHasta) },
		es:      "Falta PeriodoAsoc.FchHasta: el último día del período, aaaammdd.",
		en:      "PeriodoAsoc.FchHasta is missing.",
	},
	{
		codes: codes{cae.exc(10204), caea.exc(1495)}, types: plainNote, with: withPeriodoAsoc,
		invoice: func(c *invoiceCheck) { c.periodDateIsDay("FchDesde", c.PeriodoAsoc.FchDesde) },
		es:      "PeriodoAsoc.FchDesde debe ser un día del calendario, aaaammdd.",
		en:      "PeriodoAsoc.FchDesde is no day written yyyymmdd.",
	},
	{
		codes: codes{cae.exc(10205), caea.exc(1496)}, types: plainNote, with: withPeriodoAsoc,
		invoice: func(c *invoiceCheck) { c.periodDateIsDay("FchHasta", c.PeriodoAsoc.FchHasta) },
		es:      "PeriodoAsoc.FchHasta debe ser un día del calendario, aaaammdd.",
		en:      "PeriodoAsoc.FchHasta is no day written yyyymmdd.",
	},
	{
		codes: codes{cae.exc(10206), caea.exc(1497)}, types: plainNote, with: withPeriodoAsoc, invoice: periodIsNotTooOld,
		es: "Las fechas de PeriodoAsoc deben ser posteriores al 01/01/2006.",
		en: "A date of PeriodoAsoc is not after 2006-01-01.",
	},
	{
		codes: codes{cae.exc(10207), caea.exc(1498)}, types: plainNote, with: withPeriodoAsoc, invoice: periodIsInOrder,
		es: "PeriodoAsoc.FchHasta no puede ser anterior a FchDesde.",
		en: "PeriodoAsoc ends before it begins.",
	},
	{
		codes: codes{cae.exc(10208), caea.exc(1499)}, types: plainNote, with: withPeriodoAsoc, invoice: periodEndsByTheNote,
		es: "PeriodoAsoc.FchHasta no puede ser posterior a la fecha de la nota.",
		en: "PeriodoAsoc ends after the note's own date.",
	},
	{
		codes: codes{cae.obs(10209), caea.obs(1500)}, types: plainNote, with: withPeriodoAsoc, invoice: perceptionsAreOfOneMonth,
		also: []Source{byPerception},
		es:   "Si Tributos tiene percepciones, PeriodoAsoc debe ser de un solo mes.",
		en:   "PeriodoAsoc reaches over more than one month, and there are perceptions among Tributos.",
	},
})

// noteSaysIt leaves the notes of credit invoices MiPyME to rule 10153: they need CbtesAsoc in any case.
var noteSaysIt = rule{
	codes: codes{cae.exc(10197), caea.exc(1491)}, from: notesSayWhatTheyAdjust, types: plainNote, invoice: noteSaysWhatItAdjusts,
	also: []Source{rgAdjustments},
	es:   "Una nota de débito o crédito informa qué ajusta: CbtesAsoc o PeriodoAsoc.",
	en:   "A debit or credit note has neither CbtesAsoc nor PeriodoAsoc.",
}

const (
	noPeriodES = "Solo las notas de débito y crédito admiten PeriodoAsoc: no lo envíe."
	noPeriodEN = "A voucher that is no note has a PeriodoAsoc."
)

// notesSayWhatTheyAdjust is the day of RG 4540/2019. The service of July 2019 has no such
// code yet, the service of October 2020 has (RG 4540/2019, docs/sources.md#associated-vouchers).
const notesSayWhatTheyAdjust = wsfev1.Date("20190801")

func hasNoPeriod(c *invoiceCheck) { c.find(c.pointer("PeriodoAsoc")) }

// An empty CbtesAsoc or PeriodoAsoc counts as sent: rules of their own find what it lacks.
// A note may have both: no code of the service forbids it.
func noteSaysWhatItAdjusts(c *invoiceCheck) {
	if c.CbtesAsoc == nil && c.PeriodoAsoc == nil {
		c.find(c.pointer("CbtesAsoc"))
	}
}

func (c *invoiceCheck) periodDateIsSent(member string, d wsfev1.Date) {
	if d == "" {
		c.find(c.pointer("PeriodoAsoc/" + member))
	}
}

func (c *invoiceCheck) periodDateIsDay(member string, d wsfev1.Date) {
	if d != "" && !d.Valid() {
		c.wrong("PeriodoAsoc/"+member, string(d), "una fecha aaaammdd").Text = noDay("PeriodoAsoc."+member, d)
	}
}

// oldestPeriod is the day after which a period has to begin.
const oldestPeriod = wsfev1.Date("20060101")

func periodIsNotTooOld(c *invoiceCheck) {
	p := c.PeriodoAsoc
	if p.FchDesde <= oldestPeriod && p.FchDesde.Valid() {
		c.wrong("PeriodoAsoc/FchDesde", string(p.FchDesde), "")
	}
	if p.FchHasta <= oldestPeriod && p.FchHasta.Valid() {
		c.wrong("PeriodoAsoc/FchHasta", string(p.FchHasta), "")
	}
}

func periodIsInOrder(c *invoiceCheck) {
	p := c.PeriodoAsoc
	if p.FchHasta < p.FchDesde && p.FchDesde.Valid() && p.FchHasta.Valid() {
		f := c.wrong("PeriodoAsoc/FchHasta", string(p.FchHasta), string(p.FchDesde)+" o posterior")
		f.Text = "PeriodoAsoc.FchHasta " + validate.DayText(p.FchHasta) + " es anterior a FchDesde " + validate.DayText(p.FchDesde)
	}
}

func periodEndsByTheNote(c *invoiceCheck) {
	day, ok := c.voucherDay()
	if end := c.PeriodoAsoc.FchHasta; ok && end > day && end.Valid() {
		f := c.wrong("PeriodoAsoc/FchHasta", string(end), "a lo sumo "+string(day))
		f.Text = "PeriodoAsoc.FchHasta " + validate.DayText(end) + " es posterior a la fecha de la nota, " + validate.DayText(day)
	}
}

// isPerception reports whether a tribute is a perception: which are is inferred
// from their names (docs/sources.md#perceptions).
func isPerception(id int16) bool { return id >= 6 && id <= 9 || id == 13 }

func perceptionsAreOfOneMonth(c *invoiceCheck) {
	p := c.PeriodoAsoc
	if c.Tributos == nil || p.FchHasta <= p.FchDesde || !p.FchDesde.Valid() || !p.FchHasta.Valid() || p.FchDesde.SameMonth(p.FchHasta) {
		return
	}
	for i := range c.Tributos.Tributo {
		if isPerception(c.Tributos.Tributo[i].Id) {
			f := c.wrong("PeriodoAsoc", string(p.FchDesde)+" a "+string(p.FchHasta), "un período de un solo mes")
			f.Text = "PeriodoAsoc va del " + spanText(p.FchDesde, p.FchHasta) + ": si Tributos tiene percepciones, debe ser de un solo mes"
			return
		}
	}
}
