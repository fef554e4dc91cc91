package spanish

import (
	"testing"

	"github.com/fielato/fielato/wsfev1"
)

// TestFiguresOfALanguage: a page has one form for all amounts, which is that of its language.
func TestFiguresOfALanguage(t *testing.T) {
	for amount, want := range map[string][3]string{
		"1234.5":     {"1.234,50", "1,234.50", "$ 1,234.50"},
		"-1234567":   {"-1.234.567,00", "-1,234,567.00", "$ -1,234,567.00"},
		"0.0121":     {"0,0121", "0.0121", "$ 0.0121"},
		"999.999999": {"999,999999", "999.999999", "$ 999.999999"},
	} {
		a := wsfev1.MustAmount(amount)
		if got := [3]string{AmountIn("es", a), AmountIn("en", a), MoneyIn("en", a, "PES")}; got != want {
			t.Errorf("%s: %q, want %q", amount, got, want)
		}
	}
	if got := MoneyIn("en", wsfev1.MustAmount("1000"), "DOL"); got != "1,000.00 (Dólar Estadounidense)" {
		t.Error(got)
	}
	if es, en := CountIn("es", 1234567), CountIn("en", uint64(1234567)); es != "1.234.567" || en != "1,234,567" || CountIn("en", 7) != "7" {
		t.Error(es, en)
	}
}
