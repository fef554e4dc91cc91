package wsfev1_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/fielato/fielato/wsfev1"
)

func TestAnAmountKeepsTheDigitsItWasGiven(t *testing.T) {
	for _, text := range []string{
		"0", "0.00", "122.00", "1220000.0", "0.10", "1e2", "1E+2", "1.5E-3", "-0.00", "-0", "-1.50", "1.000000",
		"9999999999999.99", "9223372036854775808", "9999999999999999999", "12345678901234567890", "0.12345678901234567890", "12345678901234567890.12",
		"1e400", "1e-400", "0e30", "1039.8250",
	} {
		a, err := wsfev1.ParseAmount(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if a.String() != text {
			t.Errorf("%s prints as %s", text, a)
		}
		if appended := a.Append([]byte("=")); string(appended) != "="+text {
			t.Errorf("%s is appended as %s", text, appended)
		}
		written, err := json.Marshal(struct{ A wsfev1.Amount }{a})
		if err != nil || string(written) != `{"A":`+text+`}` {
			t.Errorf("%s is written as %s (%v)", text, written, err)
		}
		var read struct{ A wsfev1.Amount }
		if err := json.Unmarshal(written, &read); err != nil || read.A != a {
			t.Errorf("%s is read back as %v (%v)", text, read.A, err)
		}
	}
}

func TestWhatIsNoJSONNumberIsNoAmount(t *testing.T) {
	for _, text := range []string{
		"", " ", "-", "+1", "01", "-01", "00", ".5", "5.", "1.e2", "1e", "1e+", "NaN", "Infinity", "-Infinity", "0x10",
		"1,5", "1_000", "1 ", " 1", "1\n", "1 2", `"1"`, "null", "true", "{}", "[1]", "--1", "1-", "1.2.3", "١",
	} {
		a, err := wsfev1.ParseAmount(text)
		if !errors.Is(err, wsfev1.ErrAmount) {
			t.Errorf("%q reads as %v, error %v", text, a, err)
		}
		if a.Sent() {
			t.Errorf("%q was refused and yet counts as sent", text)
		}
	}
}

func TestAnErrorDoesNotRepeatWhatWasSent(t *testing.T) {
	_, err := wsfev1.ParseAmount("not-a-number-but-perhaps-a-password")
	if err == nil || strings.Contains(err.Error(), "password") {
		t.Errorf("error %v", err)
	}
}

func TestAnAmountOfAMegabyteIsReadAtOnce(t *testing.T) {
	for _, text := range []string{
		strings.Repeat("9", 1<<20), "0." + strings.Repeat("0", 1<<20) + "1", "1e" + strings.Repeat("9", 1<<20),
	} {
		start := time.Now()
		if a, err := wsfev1.ParseAmount(text); err != nil || a.Exact() {
			t.Errorf("exact %v, error %v", a.Exact(), err)
		}
		if took := time.Since(start); took > 30*time.Second {
			t.Errorf("took %v", took)
		}
	}
}

func TestExactness(t *testing.T) {
	for text, exact := range map[string]bool{
		"0": true, "9999999999999999999": true, "99999999999999999999": false, "100000000000000000000e-3": true,
		"0.1234567890123456789": true, "0.12345678901234567891": false, "1.5E-3": true, "123E-20": false,
		"5E-20": false, "1e-19": true, "1e400": false, "1e-400": false, "1.50000000000000000000000000": true,
	} {
		if got := wsfev1.MustAmount(text).Exact(); got != exact {
			t.Errorf("%s: exact %v, want %v", text, got, exact)
		}
	}
}

func TestAnAbsentAmountIsExactlyZeroAndNotSent(t *testing.T) {
	var a wsfev1.Amount
	if a.Sent() || !a.IsZero() || !a.Exact() || a.Sign() != 0 || a.String() != "0" {
		t.Errorf("sent %v, zero %v, exact %v, sign %d, %s", a.Sent(), a.IsZero(), a.Exact(), a.Sign(), a)
	}
	if zero := wsfev1.MustAmount("0"); !zero.Sent() || zero.IsZero() || !zero.Equal(a) {
		t.Error("a 0 that was sent is not told from one that was not")
	}
}

func TestNullReadsAsAnAmountThatWasNotSent(t *testing.T) {
	v := struct{ A wsfev1.Amount }{wsfev1.MustAmount("5")}
	if err := json.Unmarshal([]byte(`{"A":null}`), &v); err != nil || v.A.Sent() {
		t.Errorf("%v, error %v", v.A, err)
	}
}

func TestAnAmountInQuotesIsRefused(t *testing.T) {
	var v struct{ A wsfev1.Amount }
	if err := json.Unmarshal([]byte(`{"A":"5.00"}`), &v); !errors.Is(err, wsfev1.ErrAmount) {
		t.Errorf("%v, error %v", v.A, err)
	}
}

func TestEveryAmountPrintsAsAJSONNumber(t *testing.T) {
	a, b := wsfev1.MustAmount("9999999999999999999"), wsfev1.MustAmount("1e400")
	for name, amount := range map[string]wsfev1.Amount{
		"absent": {}, "overflow": a.Mul(a), "of inexact": b.Add(a), "abs": b.Abs(), "round": b.Round(2),
		"AmountOf": wsfev1.AmountOf(-1250, 2), "trimmed": b.Trim(),
	} {
		if v := jsontext.Value(amount.String()); !v.IsValid() || v.Kind() != '0' {
			t.Errorf("%s prints as %q", name, amount)
		}
	}
}

func TestMustAmountPanicsOnWhatIsNoNumber(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	wsfev1.MustAmount("twelve")
}

// TestAnAmountOfAnyScaleKeepsItsFigure: a scale that the decimals cannot have is a power of ten.
func TestAnAmountOfAnyScaleKeepsItsFigure(t *testing.T) {
	if a := wsfev1.AmountOf(1250, -2); a.Cmp(wsfev1.MustAmount("125000")) != 0 {
		t.Errorf("1250 with -2 decimals is %s", a)
	}
	if a := wsfev1.AmountOf(1250, 40); a.Exact() || a.Sign() != 1 || a.String() != "1250e-40" {
		t.Errorf("1250 with 40 decimals is %s", a)
	}
}
