package rules

import (
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
)

// Rates are the official rates that are at hand: answers of the service to
// FEParamGetCotizacion, from a cache. It must be safe for concurrent use and must not ask the
// service.
type Rates interface {
	// Official returns the rate of a currency in pesos that holds on a business day. It is not
	// sent where none is at hand.
	Official(monID string, day wsfev1.Date) wsfev1.Amount
}

// rateRules compare a rate with the official one, where that is at hand. They observe: which
// rate the service compares with is inferred from those that it publishes.
var rateRules = []rule{
	{
		codes: codes{cae.exc(10119)}, from: "20180801",
		es: bandES, en: bandEN,
	},
	{
		codes: codes{cae.exc(10119)}, from: "20180801", level: validate.Observe, invoice: rateIsWithinItsBand,
		also: []Source{byRate},
		es:   bandES, en: bandEN,
	},
	{
		codes: codes{cae.exc(10038)},
		es:    officialES, en: officialEN,
	},
	{
		codes: codes{cae.exc(10038)}, level: validate.Observe, invoice: rateIsOfficial,
		also: []Source{byRate},
		es:   officialES, en: officialEN,
	},
}

const (
	bandES     = "MonCotiz se aparta demasiado de la cotización orientativa: debe estar entre el 2 % y el 400 % de ella."
	bandEN     = "MonCotiz is less than 2 % or more than 400 % of the orientative rate."
	officialES = "Con CanMisMonExt S, MonCotiz, si se informa, es la cotización oficial del día hábil anterior."
	officialEN = "MonCotiz is not the official rate of the business day before, with CanMisMonExt S."
)

// The band around the official rate (docs/sources.md#currency).
var (
	lowestRate  = wsfev1.MustAmount("0.02")
	highestRate = wsfev1.MustAmount("4")
)

// comparedRate returns the rate with which the service compares the invoice's rate. It is not Sent where it is
// not at hand, or the invoice has no rate to compare.
func (c *invoiceCheck) comparedRate() (rate wsfev1.Amount, day wsfev1.Date) {
	if c.MonCotiz.Sign() <= 0 || !c.MonCotiz.Exact() {
		return rate, ""
	}
	return c.officialRate()
}

// officialRate returns the official rate of the invoice's currency on the business day before CbteFch, or before
// today for an invoice of today or later. It is not Sent where it is not at hand.
func (c *invoiceCheck) officialRate() (rate wsfev1.Amount, day wsfev1.Date) {
	rates, date := c.rules.settings.Rates, c.date()
	if rates == nil || c.MonId == pesos || !date.Valid() {
		return rate, ""
	}
	day = min(date, c.calendar.today).AddDays(-1).BusinessDay()
	return rates.Official(c.MonId, day), day
}

func rateIsWithinItsBand(c *invoiceCheck) {
	official, day := c.comparedRate()
	if !official.Sent() {
		return
	}
	lowest, highest := official.Mul(lowestRate), official.Mul(highestRate)
	if c.MonCotiz.Cmp(lowest) < 0 || c.MonCotiz.Cmp(highest) > 0 {
		f := c.find(c.pointer("MonCotiz"))
		f.Text = c.ofOfficialRate(official, day) + ": MonCotiz debe estar entre el 2 % y el 400 % de ella."
		c.explain(f, figure(c.MonCotiz), figure(lowest)+" a "+figure(highest))
	}
}

func rateIsOfficial(c *invoiceCheck) {
	if c.CanMisMonExt != inItsCurrency {
		return
	}
	if official, day := c.comparedRate(); official.Sent() && !official.Equal(c.MonCotiz) {
		f := c.find(c.pointer("MonCotiz"))
		f.Text = c.ofOfficialRate(official, day) + ": con CanMisMonExt S, MonCotiz debe ser esa, o no informarse."
		c.explain(f, figure(c.MonCotiz), figure(official))
	}
}

// ofOfficialRate begins a text about it.
func (c *invoiceCheck) ofOfficialRate(official wsfev1.Amount, day wsfev1.Date) string {
	at, _ := day.Time()
	return "La cotización oficial de " + validate.Printable(c.MonId) + " del " + at.Format("02/01/2006") + " es " + rateInWords(official)
}

// namesItsRate reports whether the invoice itself tells its value in pesos. With CanMisMonExt S it need not.
func (c *invoiceCheck) namesItsRate() bool { return c.MonId == pesos || c.MonCotiz.Sent() }

// inPesos is the total of the invoice in pesos: at the official rate if it names none, and not sent where
// that is not at hand.
func (c *invoiceCheck) inPesos() wsfev1.Amount {
	rate := c.MonCotiz
	if c.MonId == pesos {
		return c.ImpTotal
	}
	if !rate.Sent() {
		rate, _ = c.officialRate()
	}
	if !rate.Sent() {
		return rate
	}
	return c.ImpTotal.Mul(rate)
}

// pesosInWords writes the total in pesos, and at whose rate.
func (c *invoiceCheck) pesosInWords() string {
	text := "$ " + inWords(c.inPesos())
	if !c.namesItsRate() {
		text += " a la cotización oficial"
	}
	return text
}
