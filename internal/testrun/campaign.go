package testrun

import (
	"math"
	"os"
	"strconv"
	"testing"
)

// Long is the one variable that makes campaigns long: soaks, kills, hostile loads, random
// inputs. Without it each runs in a short form, with 1 in the long form, with n for n times as
// long. .ci/run has a twentieth of the long form: 0.05.
const Long = "FIELATO_TEST_LONG"

// Factor is the value of Long, 0 for the short form.
func Factor(tb testing.TB) float64 {
	tb.Helper()
	text := os.Getenv(Long)
	if text == "" {
		return 0
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || !(n >= 0) || math.IsInf(n, 0) {
		tb.Fatalf("%s=%s: want a number from 0 on", Long, text)
	}
	return n
}

// Size is how large a campaign is: short, or long times the factor, rounded up. It is never
// less than short.
func Size[N ~int | ~int64](tb testing.TB, short, long N) N {
	tb.Helper()
	return max(short, N(math.Ceil(Factor(tb)*float64(long))))
}

// Some returns the first few of the cases in the short form, and all of them otherwise: each
// shows something else, so no factor leaves one out.
func Some[T any](tb testing.TB, few int, cases []T) []T {
	tb.Helper()
	if Factor(tb) > 0 {
		return cases
	}
	return cases[:few]
}

// Few is Some that takes the few also in .ci/run: the whole list is for factors from 2 on.
func Few[T any](tb testing.TB, few int, cases []T) []T {
	tb.Helper()
	return cases[:Whole(tb, few, len(cases))]
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

// Full is Whole from a factor of 1 on: for a thing of which .ci/run has a part, and the long form all.
func Full[N ~int | ~int64](tb testing.TB, part, whole N) N {
	tb.Helper()
	if Factor(tb) >= 1 {
		return whole
	}
	return part
}
