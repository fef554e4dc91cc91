package rules_test

import (
	"math"
	"math/big"

	"pgregory.net/rapid"

	"github.com/fielato/fielato/wsfev1"
)

// currencies are some of docs/sources.md#tables, from all of its corners.
var currencies = []string{"DOL", "060", "012", "002", "009", "041", "049", "064", "RUB", "NZD", "011", "025"}

// drawCurrency draws MonId, MonCotiz and CanMisMonExt (docs/sources.md#currency). An invoice
// that is paid in its own currency may leave out the rate, but not under a CAEA.
func (g *generator) drawCurrency(d *wsfev1.FECAEADetRequest) {
	if !g.has(foreign, "foreign", 3) {
		d.MonId = "PES"
		d.MonCotiz = pick(g, "MonCotiz", wsfev1.AmountOf(1, 0), wsfev1.MustAmount("1.000"), wsfev1.MustAmount("1.000000"))
		d.CanMisMonExt = pick(g, "CanMisMonExt", "", "", "N")
		return
	}
	d.MonId = pick(g, "MonId", currencies...)
	d.MonCotiz = wsfev1.AmountOf(g.between("MonCotiz", 1, 9_999_999_999), 6)
	if g.between("round rate", 0, 1) == 0 {
		d.MonCotiz = wsfev1.AmountOf(g.between("MonCotiz", 1, 9999_99), 2)
	}
	d.CanMisMonExt = pick(g, "CanMisMonExt", "", "N", "S")
	if d.CanMisMonExt == "S" && !g.request.caea && g.must&(anonymous|ranged) == 0 && g.between("rate left out", 0, 1) == 0 {
		d.MonCotiz = wsfev1.Amount{}
	}
}

// thresholdCents is the amount in pesos, in cents, from which a consumer must be
// identified (docs/sources.md#threshold). It is the same on all days that are drawn.
const thresholdCents = 10_000_000_00

// thresholds returns how many times the threshold the invoice is worth, as a whole
// number: a consumer may stay anonymous at 0. Where the rate is left out the service
// takes its own: then it is worth more than any number, here.
func thresholds(t rapid.TB, d *wsfev1.FECAEADetRequest) int64 {
	if !d.MonCotiz.Sent() {
		return math.MaxInt64
	}
	total, ok := new(big.Rat).SetString(d.ImpTotal.String())
	rate, valid := new(big.Rat).SetString(d.MonCotiz.String())
	if !ok || !valid {
		t.Fatalf("%s at %s", d.ImpTotal, d.MonCotiz)
	}
	times := total.Mul(total, rate).Mul(total, big.NewRat(100, thresholdCents))
	return new(big.Int).Quo(times.Num(), times.Denom()).Int64()
}

// money writes cents in one of the ways in which clients do.
func (g *generator) money(label string, cents int64) wsfev1.Amount {
	exact := wsfev1.AmountOf(cents, 2)
	if g.quiet {
		return exact
	}
	switch g.between("form of "+label, 0, 4) {
	case 0:
		return exact.Trim()
	case 1:
		return wsfev1.AmountOf(cents*10, 3)
	case 2:
		if cents == 0 {
			return wsfev1.Amount{} // a member that is left out reads as 0
		}
	}
	return exact
}
