package wsfev1_test

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/fielato/fielato/wsfev1"
)

func TestACUITHasElevenDigitsAndItsCheckDigit(t *testing.T) {
	for number, want := range map[wsfev1.CUIT]bool{
		20111111112: true, 33693450239: true, 20000000001: true, wsfev1.NoCategorizado: true,
		20111111111: false, 20111111113: false, 33693450230: false,
		0: false, -20111111112: false, 2147483647: false, 9999999999: false, 100000000000: false, 201111111120: false,
	} {
		if got := number.Valid(); got != want {
			t.Errorf("%d is valid: %v, want %v", number, got, want)
		}
	}
}

// A weighted check digit exists to catch one wrong digit.
func TestOneWrongDigitIsAlwaysCaught(t *testing.T) {
	valid := []int64{20111111112, 33693450239, 27000000006, 30500010912}
	rapid.Check(t, func(t *rapid.T) {
		number := rapid.SampledFrom(valid).Draw(t, "cuit")
		place := int64(1)
		for range rapid.IntRange(0, 9).Draw(t, "place") {
			place *= 10
		}
		digit := number / place % 10
		other := rapid.Int64Range(0, 9).Filter(func(d int64) bool { return d != digit }).Draw(t, "digit")
		if !wsfev1.CUIT(number).Valid() {
			t.Fatalf("%d is not valid", number)
		}
		if wrong := wsfev1.CUIT(number + (other-digit)*place); wrong.Valid() {
			t.Fatalf("%d passes for valid", wrong)
		}
	})
}

func TestACUITPrintsItsDigits(t *testing.T) {
	if got := wsfev1.CUIT(20111111112).String(); got != "20111111112" {
		t.Errorf("got %s", got)
	}
}

func TestACUITIsPositiveAndOfElevenDigitsAtMost(t *testing.T) {
	for cuit, want := range map[wsfev1.CUIT]bool{
		20111111112: true, 20111111113: true, 1: true, 99_999_999_999: true,
		0: false, -1: false, -20111111112: false, 100_000_000_000: false, math.MinInt64: false, math.MaxInt64: false,
	} {
		if got := cuit.Possible(); got != want {
			t.Errorf("%d: %t, want %t", cuit, got, want)
		}
	}
}

func TestACUITIsParsedAsPeopleWriteIt(t *testing.T) {
	for text, want := range map[string]wsfev1.CUIT{
		"20111111112": 20111111112, "20-11111111-2": 20111111112, "20-11111111-3": 20111111113,
		"00-00000001-1": 11, "7": 7, "09999999999": 9999999999,
	} {
		if got, err := wsfev1.ParseCUIT(text); got != want || err != nil {
			t.Errorf("%q: %d, %v, want %d", text, got, err, want)
		}
	}
	for _, text := range []string{
		"", "0", "00-00000000-0", "x", "-20111111112", "+20111111112", "201111111120", "2-011111111-2", "20-111111112", "2011111111-2",
		"20-11111111-", "20--1111111-2", "20-1111-111-2", "20.11111111.2", "20 11111111 2", " 20111111112", "20111111112 ", "２０111111112",
	} {
		if got, err := wsfev1.ParseCUIT(text); err == nil || !strings.Contains(err.Error(), "20-11111111-2") {
			t.Errorf("%q: %d, %v", text, got, err)
		}
	}
}

// TestACheckSaysWhatIsWrongWithACUIT to the person who wrote it, and only if it is not valid.
func TestACheckSaysWhatIsWrongWithACUIT(t *testing.T) {
	for cuit, want := range map[wsfev1.CUIT]string{
		20111111113: "check digit", 7: "eleven digits", -20111111112: "eleven digits", 201111111120: "eleven digits",
	} {
		if err := cuit.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%d: %v, want %s", cuit, err, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		cuit := wsfev1.CUIT(rapid.Int64().Draw(t, "cuit"))
		if err := cuit.Check(); (err == nil) != cuit.Valid() {
			t.Fatalf("%d: %v", cuit, err)
		}
	})
}
