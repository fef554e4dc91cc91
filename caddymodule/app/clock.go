package app

import (
	"fmt"
	"sync/atomic"
	"time"

	"github.com/caddyserver/caddy/v2"

	"github.com/fielato/fielato/wsfev1"
)

// Clock says what time it is for the built-in service and for the gateways of the
// same configuration.
type Clock struct {
	// Mode is `system`, the clock of the machine; `fixed`, which stands still at
	// Time; or `offset`, which runs with the machine's, Offset ahead of it.
	Mode string `json:"mode"`

	// Time is the moment of a fixed clock, such as 2026-11-20T12:00:00-03:00.
	Time string `json:"time,omitempty"`

	// Offset is how far an offset clock is ahead, such as 36h or -2d.
	Offset string `json:"offset,omitempty"`
}

const (
	clockSystem = "system"
	clockFixed  = "fixed"
	ClockOffset = "offset"
)

// The years that a clock may show. Before the first the service did not exist, and
// the last is as far as anybody tests.
const (
	firstClockYear = 2000
	lastClockYear  = 2100
)

// clockSetting is a Clock that was read. Its zero value is the system's, and two of
// them mean the same where same says so.
type clockSetting struct {
	fixed  time.Time // zero where the clock runs
	offset time.Duration
}

// Setting reads what is written. now is the machine's time, by which an offset is
// checked.
func (c Clock) Setting(now time.Time) (s clockSetting, err error) {
	switch {
	case c.Mode == clockSystem && c.Time == "" && c.Offset == "":
	case c.Mode == clockFixed && c.Offset == "":
		if s.fixed, err = time.Parse(time.RFC3339, c.Time); err != nil {
			return s, fmt.Errorf("clock fixed: %q is no moment: give one such as 2026-11-20T12:00:00-03:00", c.Time)
		}
	case c.Mode == ClockOffset && c.Time == "":
		if s.offset, err = caddy.ParseDuration(c.Offset); err != nil {
			return s, fmt.Errorf("clock offset: %q is no duration: give one such as 36h or -2d", c.Offset)
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
		return s, fmt.Errorf("clock %s: it would show the year %d: give one from %d to %d", c.Mode, year, firstClockYear, lastClockYear)
	}
	return s, nil
}

// At returns what the clock shows at a moment of the machine's.
func (s clockSetting) At(now time.Time) time.Time {
	if !s.fixed.IsZero() {
		return s.fixed
	}
	return now.Add(s.offset)
}

func (s clockSetting) same(other clockSetting) bool {
	return s.fixed.Equal(other.fixed) && s.offset == other.offset
}

// Simulated reports whether the clock shows anything but the machine's time.
func (s clockSetting) Simulated() bool { return !s.same(clockSetting{}) }

// Written is the Clock that means the setting.
func (s clockSetting) Written() Clock {
	switch {
	case !s.fixed.IsZero():
		return Clock{Mode: clockFixed, Time: s.fixed.Format(time.RFC3339Nano)}
	case s.offset != 0:
		return Clock{Mode: ClockOffset, Offset: s.offset.String()}
	}
	return Clock{Mode: clockSystem}
}

// SharedClock is what the handlers of one configuration read. It can be moved while they
// do; a request reads it once.
type SharedClock struct {
	current atomic.Pointer[clockSetting] // nil is the system's
}

func (c *SharedClock) Setting() clockSetting {
	if s := c.current.Load(); s != nil {
		return *s
	}
	return clockSetting{}
}

func (c *SharedClock) move(s clockSetting) { c.current.Store(&s) }

func (c *SharedClock) At(now time.Time) time.Time { return c.Setting().At(now) }

func (c *SharedClock) Now() time.Time { return c.At(time.Now()) }
