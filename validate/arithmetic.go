package validate

import "github.com/fielato/fielato/wsfev1"

var (
	// cent is the absolute margin of error, in the invoice's currency.
	cent = wsfev1.MustAmount("0.01")
	// relativeMargin is the relative margin of error: 0.01 % (domain.md §3.3).
	relativeMargin = wsfev1.MustAmount("0.0001")
)

// rates are the IVA rates in percent by the Id of FEParamGetTiposIva.
var rates = map[int32]wsfev1.Amount{
	3: wsfev1.MustAmount("0"), 4: wsfev1.MustAmount("10.5"), 5: wsfev1.MustAmount("21"),
	6: wsfev1.MustAmount("27"), 8: wsfev1.MustAmount("5"), 9: wsfev1.MustAmount("2.5"),
}

// percent returns rate percent of base, rounded half to even to two decimals, as
// the service rounds.
func percent(base, rate wsfev1.Amount) wsfev1.Amount {
	return base.Mul(rate).Mul(hundredth).Round(2)
}

var hundredth = wsfev1.MustAmount("0.01")

// agree reports whether two amounts are the same within the service's margin of
// error: the absolute difference is at most a cent for each of the parts, or at
// most 0.01 % of the amount. Amounts that are not exact are left to rule 10056.
func agree(calculated, informed wsfev1.Amount, parts int) bool {
	if !calculated.Exact() || !informed.Exact() {
		return true
	}
	difference := calculated.Sub(informed).Abs()
	if difference.Sign() == 0 || difference.Cmp(margin(parts)) <= 0 {
		return true
	}
	larger := calculated.Abs()
	if other := informed.Abs(); other.Cmp(larger) > 0 {
		larger = other
	}
	return difference.Cmp(larger.Mul(relativeMargin)) <= 0
}

// margin returns the absolute margin of error for a sum of parts.
func margin(parts int) wsfev1.Amount {
	if parts <= 1 {
		return cent
	}
	return wsfev1.AmountOf(int64(parts), 2)
}
