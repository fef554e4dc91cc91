package rules

import (
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
)

// percent returns rate percent of base, rounded half to even to two decimals, as
// the service rounds.
func percent(base, rate wsfev1.Amount) wsfev1.Amount {
	return base.Mul(rate).Mul(hundredth).Round(2)
}

var hundredth = wsfev1.MustAmount("0.01")

// agree reports whether two amounts are the same within the service's margin of
// error (docs/sources.md#tolerance). Amounts that are not exact are left to rule 10056.
func (r *report) agree(calculated, informed wsfev1.Amount, parts int) bool {
	if !calculated.Exact() || !informed.Exact() {
		return true
	}
	difference := calculated.Sub(informed).Abs()
	return difference.Sign() == 0 || difference.Cmp(r.absoluteMargin(parts)) <= 0 ||
		difference.Cmp(r.relativeMargin(calculated, informed)) <= 0
}

// margin returns the largest accepted difference between an amount and a sum of so many
// parts.
func (r *report) margin(calculated, informed wsfev1.Amount, parts int) wsfev1.Amount {
	absolute, relative := r.absoluteMargin(parts), r.relativeMargin(calculated, informed)
	if relative.Cmp(absolute) > 0 {
		return relative
	}
	return absolute
}

func (r *report) absoluteMargin(parts int) wsfev1.Amount {
	cent := r.rules.settings.AbsoluteTolerance
	if parts <= 1 {
		return cent
	}
	return cent.Mul(wsfev1.AmountOf(int64(parts), 0))
}

// relativeMargin is a fraction of the larger amount. The service does not document which of
// the two it takes, and what it may accept must not be refused here.
func (r *report) relativeMargin(a, b wsfev1.Amount) wsfev1.Amount {
	a, b = a.Abs(), b.Abs()
	if b.Cmp(a) > 0 {
		a = b
	}
	return a.Mul(r.rules.settings.RelativeTolerance)
}

// money writes an amount with two decimals at least. A figure is as long as the
// client makes it, so it is cut to what can be shown.
func money(a wsfev1.Amount) string {
	if a.Exact() {
		a = a.Trim().Add(wsfev1.AmountOf(0, 2))
	}
	return validate.Printable(a.String())
}

// figure writes an amount without the zeros that end it.
func figure(a wsfev1.Amount) string { return validate.Printable(a.Trim().String()) }

// findAmounts adds a finding about two amounts that differ: name is the member in words, what
// is how the other one was calculated, with its verb.
func (r *report) findAmounts(pointer, name, what string, calculated, informed wsfev1.Amount, parts int) {
	f := r.find(pointer)
	if f == r.unreported {
		return
	}
	f.Expected, f.Got = money(calculated), money(informed)
	f.Difference = figure(calculated.Sub(informed).Abs())
	f.Tolerance = figure(r.margin(calculated, informed, parts).Round(4))
	f.Text = name + " es " + inWords(informed) + ", pero " + what + " " + inWords(calculated)
	if r.req.Absent(pointer) {
		f.Text = "Falta " + name + ", que se toma como 0: " + what + " " + inWords(calculated)
	}
}
