package clocks_test

import (
	"testing"
	"time"

	"github.com/fielato/fielato/internal/clocks"
)

// TestTimeThatPassedByOneClockHasPassed.
func TestTimeThatPassedByOneClockHasPassed(t *testing.T) {
	began := clocks.Now()
	for name, c := range map[string]struct {
		wall, run, want time.Duration
	}{
		"both go on":                 {time.Minute, time.Minute, time.Minute},
		"the machine was suspended":  {time.Hour, time.Second, time.Hour},
		"the wall's was set back":    {-time.Hour, time.Minute, time.Minute},
		"the wall's was set forward": {24 * time.Hour, 0, 24 * time.Hour},
	} {
		now := clocks.Instant{Wall: began.Wall.Add(c.wall), Run: began.Run + c.run}
		if got := now.Since(began); got != c.want {
			t.Errorf("%s: %s have passed, want %s", name, got, c.want)
		}
	}
}
