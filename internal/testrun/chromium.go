package testrun

import (
	"os"
	"os/exec"
	"testing"
)

// Chromium returns the program of the browser that tests look at pages with. That is Chromium's headless shell where
// it is installed: the same engine without the browser's own windows, which take more than half of the processor's
// time. Without either, the test fails with CI set, and is skipped otherwise.
func Chromium(tb testing.TB) string {
	tb.Helper()
	if shell, err := exec.LookPath("chromium-headless-shell"); err == nil {
		return shell
	}
	program, err := exec.LookPath("chromium")
	switch {
	case err == nil:
	case os.Getenv("CI") != "":
		tb.Fatal(err)
	default:
		tb.Skip(err)
	}
	return program
}
