package app

import (
	"fmt"
	"sync/atomic"
	"time"

	"github.com/caddyserver/caddy/v2"

	"github.com/fielato/fielato/wsfev1"
)

// Clock is the clock of the built-in service and of the gateways in the same
// configuration.
type Clock struct {
	// Mode is `system`, the machine's clock; `fixed`, which always shows Time; or
	// `offset`, which runs Offset ahead of the machine's clock.
	Mode string `json:"mode"`

	// Time is the moment of a fixed clock, such as 2026-11-20T12:00:00-03:00.
	Time string `json:"time,omitempty"`

	// Offset is how far an offset clock is ahead, such as 36h or -2d.
	Offset string `json:"offset,omitempty"`
}

const (
	clockSystem = "system"
	clockFixed  = "fixed"
	// ClockOffset is the mode of a clock that runs ahead of the machine's.
	ClockOffset = "offset"
)

// The years that a clock may show. The service is younger than the first; the last is far
// enough for tests.
const (
	firstClockYear = 2000
	lastClockYear  = 2100
)

// ClockSetting is a Clock that was parsed. The zero value is the system's clock. Compare two of
// them with same.
type ClockSetting struct {
	fixed  time.Time // zero if the clock runs
	offset time.Duration
}

// Setting parses the clock. now is the machine's time, by which an offset is checked.
func (c Clock) Setting(now time.Time) (s ClockSetting, err error) {
	switch {
	case c.Mode == clockSystem && c.Time == "" && c.Offset == "":
	case c.Mode == clockFixed && c.Offset == "":
		if s.fixed, err = time.Parse(time.RFC3339, c.Time); err != nil {
			return s, fmt.Errorf("clock fixed: %q is not a time: give one such as 2026-11-20T12:00:00-03:00", c.Time)
		}
	case c.Mode == ClockOffset && c.Time == "":
		if s.offset, err = caddy.ParseDuration(c.Offset); err != nil {
			return s, fmt.Errorf("clock offset: %q is not a duration: give one such as 36h or -2d", c.Offset)
		}
	case c.Mode == clockSystem || c.Mode == clockFixed || c.Mode == ClockOffset:
		return s, fmt.Errorf("clock %s: system takes nothing, fixed takes a time alone, offset takes an offset alone", c.Mode)
	default:
		return s, fmt.Errorf("unknown clock %q: use system, fixed or offset", c.Mode)
	}
	shown := now.Add(s.offset)
	if c.Mode == clockFixed {
		shown = s.fixed
	}
	if year := shown.In(wsfev1.Argentina).Year(); year < firstClockYear || year > lastClockYear {
		return s, fmt.Errorf("clock %s: it would show the year %d: give a year from %d to %d", c.Mode, year, firstClockYear, lastClockYear)
	}
	return s, nil
}

// At returns the time that the clock shows at a moment of the machine's clock.
func (s ClockSetting) At(now time.Time) time.Time {
	if !s.fixed.IsZero() {
		return s.fixed
	}
	return now.Add(s.offset)
}

func (s ClockSetting) same(other ClockSetting) bool {
	return s.fixed.Equal(other.fixed) && s.offset == other.offset
}

// Simulated reports whether the clock shows any time but the machine's.
func (s ClockSetting) Simulated() bool { return !s.same(ClockSetting{}) }

// Written returns the Clock that parses to the setting.
func (s ClockSetting) Written() Clock {
	switch {
	case !s.fixed.IsZero():
		return Clock{Mode: clockFixed, Time: s.fixed.Format(time.RFC3339Nano)}
	case s.offset != 0:
		return Clock{Mode: ClockOffset, Offset: s.offset.String()}
	}
	return Clock{Mode: clockSystem}
}

// SharedClock is the clock of all handlers of a configuration. It can be moved while they read
// it; a request reads it once.
type SharedClock struct {
	current atomic.Pointer[ClockSetting] // nil is the system's
}

// Setting returns the current setting.
func (c *SharedClock) Setting() ClockSetting {
	if s := c.current.Load(); s != nil {
		return *s
	}
	return ClockSetting{}
}

func (c *SharedClock) move(s ClockSetting) { c.current.Store(&s) }

// At returns the time that the clock shows at a moment of the machine's clock.
func (c *SharedClock) At(now time.Time) time.Time { return c.Setting().At(now) }

// Now returns the time that the clock shows.
func (c *SharedClock) Now() time.Time { return c.At(time.Now()) }
