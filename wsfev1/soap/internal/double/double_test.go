package double_test

import (
	"errors"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/fielato/fielato/wsfev1"
	"github.com/fielato/fielato/wsfev1/soap/internal/double"
)

func read(text string) (wsfev1.Amount, error) {
	amount, _, err := double.Read(nil, []byte(text))
	return amount, err
}

func TestDoublesAreReadAsAmounts(t *testing.T) {
	for text, want := range map[string]string{
		"121": "121", "121.00": "121.00", "121.0": "121.0", "0": "0", "0.0": "0.0", "-1.5": "-1.5",
		"+1.5": "1.5", ".5": "0.5", "5.": "5", "-.5": "-0.5", "007.10": "7.10", "00": "0",
		"1.21E7": "12100000", "1.21e7": "12100000", "1.2345678901234E11": "123456789012.34", "1E-05": "0.00001", "1e-7": "0.0000001",
		"1.0E+15": "1000000000000000", "1e+21": "1000000000000000000000", "1E0": "1", "1e39": "1" + strings.Repeat("0", 39), "1E308": "1e+308", "-5e-324": "-5e-324", "1E-400": "0", "-1E-400": "-0", "0E5": "0",
		"931569.09999999998": "931569.1", "0.30000000000000004": "0.30000000000000004", "121.00000000000000": "121", "121.0000000000000": "121",
		"121.000000000000":     "121.000000000000", // 15 digits are kept
		"0.000000000000001000": "0.000000000000001000",
		"9999999999999.99":     "9999999999999.99", "999999999999999": "999999999999999", "123456789012345678": "123456789012345680",
	} {
		amount, err := read(text)
		if err != nil || amount.String() != want {
			t.Errorf("%q: %s, %v; want %s", text, amount, err, want)
		}
	}
	for _, text := range []string{"", " ", "-", "+", ".", "-.", "1,5", "1.000,50", "1 000", "INF", "-INF", "NaN", "Infinity", "0x10", "1e", "1e+", "e5", "1.2.3", "--1", "1_0", "١", "1e5.0"} {
		if amount, err := read(text); err == nil {
			t.Errorf("%q: %s", text, amount)
		}
	}
	if _, err := read("-1e309"); !errors.Is(err, strconv.ErrRange) {
		t.Error(err)
	}
}

func TestTextsOfOneDoubleAreOneAmount(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cents := rapid.Int64Range(-999_999_999_999_999, 999_999_999_999_999).Draw(t, "cents")
		value := float64(cents) / 100
		want := strconv.FormatFloat(value, 'f', -1, 64)
		for _, text := range []string{
			strconv.FormatFloat(value, 'E', -1, 64), strconv.FormatFloat(value, 'e', 16, 64), strconv.FormatFloat(value, 'g', 17, 64),
			strings.ToUpper(strconv.FormatFloat(value, 'g', -1, 64)), strconv.FormatFloat(value, 'f', 20, 64),
		} {
			if amount, err := read(text); err != nil || amount.Trim().String() != want {
				t.Fatalf("%s: %s, %v; want %s", text, amount, err, want)
			}
		}
	})
}
