package backend

import "github.com/fielato/fielato/wsfev1"

// rateRules compare the rate of an invoice with the official one. A currency without a
// known rate has no limits.
var rateRules = []registerRule{
	{cae: 10038, find: rateIsNotOfficial},
	{cae: 10119, find: rateIsFarFromOfficial},
}

// The band around the official rate (docs/sources.md#currency).
var (
	lowestRate  = wsfev1.MustAmount("0.02")
	highestRate = wsfev1.MustAmount("4")
)

// comparedRate is the official rate, where the invoice has one to compare with it.
func (x *examination) comparedRate() (wsfev1.Amount, bool) {
	if !x.MonCotiz.Sent() || !x.MonCotiz.Exact() {
		return wsfev1.Amount{}, false
	}
	return x.officialRate()
}

// officialRate is the rate of the business day before CbteFch, or before today for an
// invoice of today or later.
func (x *examination) officialRate() (wsfev1.Amount, bool) {
	if x.MonId == pesos || !x.date.Valid() {
		return wsfev1.Amount{}, false
	}
	return x.backend.tables.rateOn(x.MonId, min(x.date, x.today).AddDays(-1).BusinessDay())
}

// rateIsNotOfficial is about invoices that are paid in their own currency.
func rateIsNotOfficial(x *examination) string {
	if x.CanMisMonExt != "S" {
		return ""
	}
	if official, known := x.comparedRate(); known && !official.Equal(x.MonCotiz) {
		return "MonCotiz"
	}
	return ""
}

func rateIsFarFromOfficial(x *examination) string {
	official, known := x.comparedRate()
	if known && (x.MonCotiz.Cmp(official.Mul(lowestRate)) < 0 || x.MonCotiz.Cmp(official.Mul(highestRate)) > 0) {
		return "MonCotiz"
	}
	return ""
}
