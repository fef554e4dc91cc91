package testrun

import "testing"

// single is the value of -benchtime with which a benchmark only shows that it still works, as in .ci/run.
const single = "1x"

// Measures reports whether benchmarks run that measure: some are asked for, and not for one
// iteration each.
func Measures() bool { return asked("test.bench") != "" && asked("test.benchtime") != single }

// Scale is how large the thing is that a benchmark prepares or repeats: whole where it measures, and
// part where each runs once to show that it works.
func Scale[N ~int | ~int64](b *testing.B, part, whole N) N {
	b.Helper()
	if Measures() {
		return whole
	}
	return part
}
