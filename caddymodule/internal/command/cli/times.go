package cli

import (
	"fmt"
	"time"

	"github.com/caddyserver/caddy/v2"

	"github.com/fielato/fielato/wsfev1"
)

// TimeForms are the forms of a time in a flag.
const TimeForms = "2026-11-20, 2026-11-20T15:04:05-03:00, or an age such as 24h or 7d"

// TimeFlags bound a query in time; empty for no bound.
type TimeFlags struct{ Since, Until string }

// Read parses the two bounds.
func (f *TimeFlags) Read() (since, until time.Time, err error) {
	if since, err = ParseTime("since", f.Since); err != nil {
		return since, until, err
	}
	if until, err = ParseTime("until", f.Until); err != nil || until.IsZero() || until.After(since) {
		return since, until, err
	}
	return since, until, fmt.Errorf("--until %s is not after --since %s: what is asked for lies before --until, so one day ends with the next",
		f.Until, f.Since)
}

// ParseTime parses the value of a flag: a day in Argentina, a moment, or an age. No text is the zero time.
func ParseTime(flag, text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if t, err := time.Parse(time.RFC3339, text); err == nil {
		return t, nil
	}
	if t, err := time.ParseInLocation(time.DateOnly, text, wsfev1.Argentina); err == nil {
		return t, nil
	}
	if age, err := caddy.ParseDuration(text); err == nil && age >= 0 {
		return time.Now().Add(-age), nil
	}
	return time.Time{}, fmt.Errorf("--%s %q: give %s", flag, text, TimeForms)
}
