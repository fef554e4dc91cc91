package testrun

import (
	"os"
	"strconv"
	"testing"
)

// Long is the one variable that makes campaigns long: soaks, kills, hostile loads, random
// inputs. Without it each runs in a short form, with 1 in the form of .ci/run, with n for
// n times as long.
const Long = "FIELATO_TEST_LONG"

// Factor is the value of Long, 0 for the short form.
func Factor(tb testing.TB) int {
	tb.Helper()
	text := os.Getenv(Long)
	if text == "" {
		return 0
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		tb.Fatalf("%s=%s: want a whole number", Long, text)
	}
	return n
}

// Size is how large a campaign is: short, or long times the factor.
func Size[N ~int | ~int64](tb testing.TB, short, long N) N {
	tb.Helper()
	if n := Factor(tb); n > 0 {
		return N(n) * long
	}
	return short
}

// Whole is how large a thing is of which a part shows the same: the whole from a factor of 2 on,
// and the part below. The race detector of .ci/run makes large ones take many times as long, and
// finds no more in them.
func Whole[N ~int | ~int64](tb testing.TB, part, whole N) N {
	tb.Helper()
	if Factor(tb) >= 2 {
		return whole
	}
	return part
}
