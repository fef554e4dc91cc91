package wsfev1

import "github.com/govalues/decimal"

// Abs returns the amount without its sign.
func (a Amount) Abs() Amount { return a.derive(a.value.Abs(), nil, a) }

// Add returns a + b.
func (a Amount) Add(b Amount) Amount { return a.combine(b, decimal.Decimal.AddExact, largerScale) }

// Sub returns a − b.
func (a Amount) Sub(b Amount) Amount { return a.combine(b, decimal.Decimal.SubExact, largerScale) }

// Mul returns a × b. Where that has more than 19 digits it is rounded half to
// even and is not Exact.
func (a Amount) Mul(b Amount) Amount { return a.combine(b, decimal.Decimal.MulExact, sumOfScales) }

func largerScale(x, y decimal.Decimal) int { return max(x.Scale(), y.Scale()) }

func sumOfScales(x, y decimal.Decimal) int { return x.Scale() + y.Scale() }

// combine computes with every decimal of the result held to be significant: the
// library rounds without a word what does not fit, and a rounded result that
// passed for exact would let a rule accuse a request that is right.
func (a Amount) combine(b Amount,
	exact func(x, y decimal.Decimal, scale int) (decimal.Decimal, error), scale func(x, y decimal.Decimal) int,
) Amount {
	v, err := exact(a.value, b.value, scale(a.value, b.value))
	if err == nil {
		return a.derive(v, nil, b)
	}
	// Zeros that end the decimals take up digits without any meaning.
	x, y := a.value.Trim(0), b.value.Trim(0)
	if v, err = exact(x, y, scale(x, y)); err != nil {
		v, _ = exact(x, y, 0)
	}
	return a.derive(v, err, b)
}

func (a Amount) derive(v decimal.Decimal, err error, b Amount) Amount {
	if err != nil || !a.Exact() || !b.Exact() {
		return Amount{value: v, state: amountInexact}
	}
	return Amount{value: v, state: amountExact}
}

// Round returns the amount with at most n decimals, rounded half to even.
func (a Amount) Round(n int) Amount { return a.derive(a.value.Round(n), nil, a) }

// Fits reports whether the amount needs at most so many integer digits and
// decimals; zeros that begin the one or end the other do not count. An amount
// that is not Exact fits nowhere.
func (a Amount) Fits(integer, decimals int) bool {
	return a.Exact() && a.value.Prec()-a.value.Scale() <= integer &&
		(a.value.Scale() <= decimals || a.value.MinScale() <= decimals)
}
