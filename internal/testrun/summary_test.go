package testrun_test

import (
	"bytes"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/fielato/fielato/internal/testrun"
)

// broken makes the tests of this file fail, each in its way: they run in a process of their own.
const broken = "FIELATO_TEST_BROKEN"

// runBroken runs the tests that begin with TestBroken and a word, and returns their output.
func runBroken(t *testing.T, word string, flags ...string) string {
	t.Helper()
	process := exec.CommandContext(t.Context(), os.Args[0], append(flags, "-test.run=^TestBroken"+word)...)
	process.Env = append(os.Environ(), broken+"=1", testrun.Summary+"=on")
	var printed bytes.Buffer
	process.Stdout, process.Stderr = &printed, &printed
	if err := process.Run(); err == nil {
		t.Errorf("it has passed:\n%s", &printed)
	}
	return printed.String()
}

// place matches the place of a line in this file.
var place = regexp.MustCompile(`_test\.go:\d+: `)

// wantLast wants the last lines of a text to be these, wherever in this file it was.
func wantLast(t *testing.T, printed string, want ...string) {
	t.Helper()
	lines := strings.Split(strings.TrimSuffix(place.ReplaceAllString(printed, "_test.go:0: "), "\n"), "\n")
	if got := lines[max(0, len(lines)-len(want)):]; !slices.Equal(got, want) {
		t.Errorf("the last lines are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestFailuresComeLast, in a line each, behind everything that the tests print.
func TestFailuresComeLast(t *testing.T) {
	for _, flags := range [][]string{nil, {"-test.v"}, {"-test.v", "-test.parallel=4"}} {
		printed := runBroken(t, "Some", flags...)
		wantLast(t, printed, "FAIL",
			"--- FAIL: TestBrokenSome: summary_test.go:0: as far as line 3; summary_test.go:0: got 3, want 4",
			"--- FAIL: TestBrokenSomeTables/second: summary_test.go:0: got second",
			"--- FAIL: TestBrokenSomeTables/third: summary_test.go:0: got third",
			"--- FAIL: TestBrokenSomeWithoutAWord")
		if !strings.Contains(printed, "want a line more") {
			t.Errorf("something is missing:\n%s", printed)
		}
	}
}

// TestALongOutputIsWhole, and what it is about comes behind it.
func TestALongOutputIsWhole(t *testing.T) {
	printed := runBroken(t, "Loud")
	if n := strings.Count(printed, strings.Repeat("x", 1000)+"\n"); n != 2_000 {
		t.Errorf("%d lines of 2000", n)
	}
	wantLast(t, printed, "FAIL", "--- FAIL: TestBrokenLoud: summary_test.go:0: loud")
}

// TestAPanicIsPrintedWhole: with the texts of the test before, and with the place.
func TestAPanicIsPrintedWhole(t *testing.T) {
	for _, flags := range [][]string{nil, {"-test.v"}} {
		printed := runBroken(t, "Panics", flags...)
		for _, want := range []string{"said before", "--- FAIL: TestBrokenPanics (", "panic: out of order", "summary_test.go:"} {
			if !strings.Contains(printed, want) {
				t.Errorf("%v: %q is missing:\n%s", flags, want, printed)
			}
		}
	}
}

// TestATimeoutIsPrintedWhole.
func TestATimeoutIsPrintedWhole(t *testing.T) {
	printed := runBroken(t, "Hangs", "-test.v", "-test.timeout=200ms")
	for _, want := range []string{"=== RUN   TestBrokenHangs", "said before", "panic: test timed out after 200ms"} {
		if !strings.Contains(printed, want) {
			t.Errorf("%q is missing:\n%s", want, printed)
		}
	}
}

// TestOutputForAProgramIsLeftAlone: go test -json reads it.
func TestOutputForAProgramIsLeftAlone(t *testing.T) {
	wantLast(t, runBroken(t, "Some$", "-test.v=test2json"), "\x16FAIL")
}

func TestBrokenSome(t *testing.T) {
	if os.Getenv(broken) == "" {
		return
	}
	t.Log("as far as line 3")
	t.Error("got 3, want 4\n--- FAIL: TestQuoted (0.00s)\nwant a line more")
}

func TestBrokenSomeTables(t *testing.T) {
	for _, name := range []string{"first", "second", "third"} {
		t.Run(name, func(t *testing.T) {
			if name == "second" && os.Getenv(broken) != "" {
				t.Errorf("got %s", name)
			} else if name == "third" && os.Getenv(broken) != "" {
				t.Errorf("\n  got %s", name)
			}
		})
	}
}

func TestBrokenSomeWithoutAWord(t *testing.T) {
	if os.Getenv(broken) != "" {
		t.Fail()
	}
}

func TestBrokenLoud(t *testing.T) {
	if os.Getenv(broken) == "" {
		return
	}
	t.Error("loud")
	line := strings.Repeat("x", 1000) + "\n"
	for range 2_000 {
		os.Stdout.WriteString(line)
	}
}

func TestBrokenPanics(t *testing.T) {
	if t.Log("said before"); os.Getenv(broken) != "" {
		panic("out of order")
	}
}

func TestBrokenHangs(t *testing.T) {
	if t.Log("said before"); os.Getenv(broken) != "" {
		<-t.Context().Done()
	}
}
