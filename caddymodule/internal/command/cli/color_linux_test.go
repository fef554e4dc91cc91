package cli

import (
	"bytes"
	"os"
	"testing"

	"github.com/fielato/fielato/internal/testrun"
)

// TestColourIsForTerminals that want it. The null device is none.
func TestColourIsForTerminals(t *testing.T) {
	terminal, _ := testrun.Terminal(t, 80)
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	t.Setenv("TERM", "xterm")
	t.Setenv("NO_COLOR", "")
	auto := &ColorFlags{color: "auto"}
	if !auto.Colored(terminal) || auto.Colored(new(bytes.Buffer)) || auto.Colored(null) {
		t.Error("auto: a terminal is coloured, and nothing else")
	}
	t.Setenv("TERM", "dumb")
	if auto.Colored(terminal) {
		t.Error("a terminal without colours")
	}
	t.Setenv("TERM", "xterm")
	t.Setenv("NO_COLOR", "1")
	if auto.Colored(terminal) || !(&ColorFlags{color: "always"}).Colored(terminal) {
		t.Error("NO_COLOR")
	}
}
