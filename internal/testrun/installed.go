package testrun

import (
	"os"
	"os/exec"
	"testing"
)

// Installed returns the path of the first of these programs that is on the PATH. Without any of them, the test fails
// with CI set, and is skipped otherwise.
func Installed(tb testing.TB, programs ...string) (path string) {
	tb.Helper()
	var err error
	for _, program := range programs {
		if path, err = exec.LookPath(program); err == nil {
			return path
		}
	}
	if os.Getenv("CI") != "" {
		tb.Fatal(err)
	}
	tb.Skip(err)
	return ""
}

// Chromium returns the program of the browser that tests look at pages with. That is Chromium's headless shell where
// it is installed: the same engine without the browser's own windows, which take more than half of the processor's
// time.
func Chromium(tb testing.TB) string {
	tb.Helper()
	return Installed(tb, "chromium-headless-shell", "chromium")
}
