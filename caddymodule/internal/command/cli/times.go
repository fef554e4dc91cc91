package cli

import (
	"fmt"
	"time"

	"github.com/fielato/fielato/caddymodule/internal/when"
)

// TimeForms are the forms of a time in a flag, UntilForms the forms of its end.
const (
	TimeForms  = when.Forms
	UntilForms = "the same forms; a day or a month with all of it"
)

// TimeFlags bound a query in time; empty for no bound.
type TimeFlags struct{ Since, Until string }

// Read parses the two bounds.
func (f *TimeFlags) Read() (since, until time.Time, err error) {
	if since, err = ParseTime("since", f.Since); err != nil {
		return since, until, err
	}
	if until, err = parse("until", f.Until, when.Until); err != nil || until.IsZero() || until.After(since) {
		return since, until, err
	}
	return since, until, fmt.Errorf("--until %s is not after --since %s", f.Until, f.Since)
}

// ParseTime parses the value of a flag, of a day or a month the beginning. No text is the zero time.
func ParseTime(flag, text string) (time.Time, error) { return parse(flag, text, when.Since) }

func parse(flag, text string, read func(string, time.Time) (time.Time, error)) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	t, err := read(text, time.Now())
	if err != nil {
		return t, fmt.Errorf("--%s %q: give %s", flag, text, TimeForms)
	}
	return t, nil
}
