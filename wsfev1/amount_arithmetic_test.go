package wsfev1_test

import (
	"fmt"
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"github.com/fielato/fielato/wsfev1"
)

// amountOf15Digits draws an amount of up to 12 integer digits and up to 6 decimals,
// 15 digits in all, and the same as a fraction. Two of them add up to 19 digits at
// the most.
func amountOf15Digits(t *rapid.T, label string) (wsfev1.Amount, *big.Rat) {
	scale := rapid.IntRange(0, 6).Draw(t, label+" decimals")
	limit := int64(math.Pow10(min(15, 12+scale))) - 1
	units := rapid.Int64Range(-limit, limit).Draw(t, label)
	divisor := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(scale)), nil)
	return wsfev1.AmountOf(units, scale), new(big.Rat).SetFrac(big.NewInt(units), divisor)
}

func fraction(t interface{ Fatalf(string, ...any) }, a wsfev1.Amount) *big.Rat {
	r, ok := new(big.Rat).SetString(a.String())
	if !ok {
		t.Fatalf("%s is no number", a)
	}
	return r
}

func TestSumsAndDifferencesWithin15DigitsAreTrue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, x := amountOf15Digits(t, "a")
		b, y := amountOf15Digits(t, "b")
		if got := a.Add(b); !got.Exact() || fraction(t, got).Cmp(new(big.Rat).Add(x, y)) != 0 {
			t.Fatalf("%s + %s = %s, exact %v", a, b, got, got.Exact())
		}
		if got := a.Sub(b); !got.Exact() || fraction(t, got).Cmp(new(big.Rat).Sub(x, y)) != 0 {
			t.Fatalf("%s - %s = %s, exact %v", a, b, got, got.Exact())
		}
		if got := a.Cmp(b); got != x.Cmp(y) {
			t.Fatalf("%s compares to %s as %d", a, b, got)
		}
		if got := a.Abs(); fraction(t, got).Cmp(new(big.Rat).Abs(x)) != 0 {
			t.Fatalf("|%s| = %s", a, got)
		}
		if a.Sign() != x.Sign() {
			t.Fatalf("%s has sign %d", a, a.Sign())
		}
	})
}

func TestAProductIsTrueOrSaysThatItIsNot(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, x := amountOf15Digits(t, "a")
		b, y := amountOf15Digits(t, "b")
		got, want := a.Mul(b), new(big.Rat).Mul(x, y)
		if got.Exact() && fraction(t, got).Cmp(want) != 0 {
			t.Fatalf("%s × %s = %s passes for exact", a, b, got)
		}
	})
}

func TestAProductOfUpTo19DigitsIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, x := amountOf15Digits(t, "a")
		rate := rapid.Int64Range(0, 9999).Draw(t, "rate")
		got := a.Mul(wsfev1.AmountOf(rate, 2))
		want := new(big.Rat).Mul(x, big.NewRat(rate, 100))
		if !got.Exact() || fraction(t, got).Cmp(want) != 0 {
			t.Fatalf("%s × %d/100 = %s, exact %v", a, rate, got, got.Exact())
		}
	})
}

func TestWhatDoesNotFitIn19DigitsIsNotExact(t *testing.T) {
	large, tenth := wsfev1.MustAmount("9999999999999999999"), wsfev1.MustAmount("0.1")
	for name, got := range map[string]wsfev1.Amount{
		"sum rounded away": large.Add(tenth), "difference rounded away": large.Sub(tenth),
		"product": large.Mul(wsfev1.MustAmount("1.1")), "sum too large": large.Add(large),
		"product of decimals": wsfev1.MustAmount("0.0000000001").Mul(wsfev1.MustAmount("0.0000000001")),
		"of inexact":          wsfev1.MustAmount("1e400").Sub(tenth),
		"sum with inexact":    tenth.Add(wsfev1.MustAmount("1e400")),
	} {
		if got.Exact() {
			t.Errorf("%s: %s passes for exact", name, got)
		}
	}
}

func TestZerosAtTheEndDoNotMakeAResultInexact(t *testing.T) {
	a := wsfev1.MustAmount("122.0000000000000000")
	got := a.Mul(wsfev1.MustAmount("10.5"))
	if !got.Exact() || got.Cmp(wsfev1.MustAmount("1281")) != 0 {
		t.Errorf("%s × 10.5 = %s, exact %v", a, got, got.Exact())
	}
}

func TestASumKeepsTheDecimalsOfItsParts(t *testing.T) {
	got := wsfev1.MustAmount("100.00").Add(wsfev1.MustAmount("21.0"))
	if got.String() != "121.00" {
		t.Errorf("100.00 + 21.0 prints as %s", got)
	}
}

func TestRoundIsHalfToEven(t *testing.T) {
	for text, want := range map[string]string{
		"0.005": "0.00", "0.015": "0.02", "0.025": "0.02", "0.0251": "0.03", "-0.015": "-0.02", "-0.025": "-0.02",
		"220.4958": "220.50", "7.7049": "7.70", "1.2": "1.2", "2.5e-1": "0.25", "5.3445": "5.34",
	} {
		if got := wsfev1.MustAmount(text).Round(2); got.String() != want {
			t.Errorf("%s rounds to %s, want %s", text, got, want)
		}
	}
}

func TestTrimLeavesNoZerosAtTheEnd(t *testing.T) {
	for text, want := range map[string]string{
		"122.00": "122", "220.50": "220.5", "100": "100", "0.00": "0", "-0.00": "0", "1e2": "100", "1.50E+1": "15",
		"1234567890123456.700": "1234567890123456.7", "1e400": "1e400", "12345678901234567890.0": "12345678901234567890.0",
	} {
		if got := wsfev1.MustAmount(text).Trim(); got.String() != want {
			t.Errorf("%s trims to %s, want %s", text, got, want)
		}
	}
	if (wsfev1.Amount{}).Trim().Sent() {
		t.Error("an amount that was not sent is sent once trimmed")
	}
}

func TestFits(t *testing.T) {
	for _, c := range []struct {
		text          string
		whole, places int
		want          bool
	}{
		{"9999999999999.99", 13, 2, true},
		{"10000000000000.00", 13, 2, false},
		{"9999999999999.999", 13, 2, false},
		{"121.000", 13, 2, true},
		{"0.001", 13, 2, false},
		{"0.00", 13, 2, true},
		{"1.230", 13, 2, true},
		{"1e13", 13, 2, false},
		{"1e12", 13, 2, true},
		{"1.5E-3", 13, 2, false},
		{"-0.01", 13, 2, true},
		{"9999.999999", 4, 6, true},
		{"10000", 4, 6, false},
		{"99.99", 2, 2, true},
		{"100", 2, 2, false},
		{"1e400", 13, 2, false},
		{"0.0000000000000000000000000000", 13, 2, true},
	} {
		if got := wsfev1.MustAmount(c.text).Fits(c.whole, c.places); got != c.want {
			t.Errorf("%s fits %d+%d: %v, want %v", c.text, c.whole, c.places, got, c.want)
		}
	}
}

func TestFitsCountsDigitsAndNotZeros(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		units := rapid.Int64Range(0, 999_999_999_999_999).Draw(t, "cents")
		zeros := rapid.IntRange(0, 3).Draw(t, "zeros at the end")
		text := fmt.Sprintf("%d.%02d%0*d", units/100, units%100, zeros, 0)
		if zeros == 0 {
			text = text[:len(text)-1]
		}
		if !wsfev1.MustAmount(text).Fits(13, 2) {
			t.Fatalf("%s does not fit 13+2", text)
		}
	})
}

func TestEqualIsFalseWhereOneIsNotExact(t *testing.T) {
	huge, same := wsfev1.MustAmount("1e400"), wsfev1.MustAmount("1e400")
	if huge.Equal(same) {
		t.Error("two amounts that are not exact pass for equal")
	}
	if !wsfev1.MustAmount("1.50").Equal(wsfev1.MustAmount("1.5")) {
		t.Error("1.50 is not 1.5")
	}
}

func TestTheSignOfAnAmountThatIsNotExact(t *testing.T) {
	for text, want := range map[string]int{"1e400": 1, "-1e400": -1, "0e400": 0, "-1e-400": -1} {
		if got := wsfev1.MustAmount(text).Sign(); got != want {
			t.Errorf("%s has sign %d, want %d", text, got, want)
		}
	}
}
