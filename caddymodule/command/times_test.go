package command_test

import (
	"strings"
	"testing"
)

// TestTimesCarryTheirZone in every table that has some.
func TestTimesCarryTheirZone(t *testing.T) {
	store := " --store sqlite:" + trailOf(t, exchange())
	for line, want := range map[string]string{
		"audit search":                        " 2026-11-15 09:00:00.000-03:00  FECAESolicitar",
		"audit stats --by hour":               "2026-11-15 09:00-03:00  1 ",
		"audit stats --by hour --format json": `"key":"2026-11-15 09:00-03:00"`,
		"audit show 0":                        " 2026-11-15T09:00:00-03:00\n",
		"audit search --format json":          `"time":"2026-11-15T09:00:00-03:00"`,
	} {
		if got := words(line + store); got.err != nil || !strings.Contains(got.out, want) {
			t.Errorf("%s lacks %q: %v\n%s", line, want, got.err, got.out)
		}
	}
}
