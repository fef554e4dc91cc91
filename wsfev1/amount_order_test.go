package wsfev1_test

import (
	"math/big"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/fielato/fielato/wsfev1"
)

// TestAmountsOfAnySizeHaveTheirOrder compares what no decimal holds.
func TestAmountsOfAnySizeHaveTheirOrder(t *testing.T) {
	ascending := []string{
		"-1e99999999999999999999", "-2e400", "-1e400", "-100000000000000000000.5", "-1", "-1e-400", "0",
		"1e-99999999999999999999", "1e-400", "2e-400", "0.12345678901234567890", "0.12345678901234567891", "1",
		"100000000000000000000", "100000000000000000000.5", "1e400", "10.1e399", "2e400", "1e401", "1e99999999999999999999",
	}
	for i, x := range ascending {
		for j, y := range ascending {
			a, b := wsfev1.MustAmount(x), wsfev1.MustAmount(y)
			got, want := a.Cmp(b), i-j
			if i != j && got*want <= 0 {
				t.Errorf("%s against %s: %d", x, y, got)
			}
			if equal := i == j && a.Exact(); a.Equal(b) != equal || (got == 0) != equal {
				t.Errorf("%s against %s: %d, equal %v", x, y, got, a.Equal(b))
			}
		}
	}
}

// TestAnAmountThatCannotBeHeldEqualsNothing: two that are taken for one would make the
// invoice of another program ours.
func TestAnAmountThatCannotBeHeldEqualsNothing(t *testing.T) {
	nine := wsfev1.MustAmount("9999999999999999999")
	inexact := []wsfev1.Amount{
		wsfev1.MustAmount("1e400"), wsfev1.MustAmount("1e400").Abs(), wsfev1.MustAmount("1e400").Trim(), wsfev1.MustAmount("1e-400"),
		nine.Mul(nine), nine.Add(nine), nine.Sub(wsfev1.MustAmount("1e400")), nine.Mul(nine).Round(2),
	}
	for i, a := range inexact {
		for j, b := range append(slices.Clone(inexact), wsfev1.Amount{}, wsfev1.MustAmount("0"), nine) {
			if a.Cmp(b) == 0 || b.Cmp(a) == 0 || a.Equal(b) || b.Equal(a) {
				t.Errorf("%d, %s, is taken for %d, %s", i, a, j, b)
			}
		}
	}
}

// TestTheOrderOfAmountsIsThatOfTheirFigures holds Cmp against exact fractions.
func TestTheOrderOfAmountsIsThatOfTheirFigures(t *testing.T) {
	number := rapid.StringMatching(`-?(0|[1-9][0-9]{0,22})(\.[0-9]{1,22})?([eE][+-]?[0-9]{1,2})?`)
	rapid.Check(t, func(t *rapid.T) {
		x, y := number.Draw(t, "x"), number.Draw(t, "y")
		if rapid.Bool().Draw(t, "close") {
			y = x + "1"
			if !strings.ContainsAny(x, ".eE") {
				y = x + ".00"
			}
		}
		a, b := wsfev1.MustAmount(x), wsfev1.MustAmount(y)
		p, _ := new(big.Rat).SetString(x)
		q, _ := new(big.Rat).SetString(y)
		want := p.Cmp(q)
		if want == 0 && (!a.Exact() || !b.Exact()) {
			if a.Cmp(b) == 0 {
				t.Fatalf("%s is taken for %s", x, y)
			}
			return
		}
		if got := a.Cmp(b); got != want {
			t.Fatalf("%s against %s: %d, want %d", x, y, got, want)
		}
	})
}
