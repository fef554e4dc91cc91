package when

import (
	"fmt"
	"strings"
	"time"

	"github.com/caddyserver/caddy/v2"

	"github.com/fielato/fielato/wsfev1"
)

// Forms are the forms of a bound, for the help of a command.
const Forms = "2026-11-20, 20/11/2026, 2026-11, 2026-11-20T15:04:05-03:00, or an age such as 24h or 7d"

// Span is a time: From is in it, To is not.
type Span struct{ From, To time.Time }

// Since reads the first moment that a bound leaves: a moment, or the beginning of a day or month, or so long before now.
func Since(text string, now time.Time) (time.Time, error) {
	span, err := bound(text, now)
	return span.From, err
}

// Until reads the first moment that a bound leaves out: a moment, or the one after the end of a day or month, or so
// long before now.
func Until(text string, now time.Time) (time.Time, error) {
	span, err := bound(text, now)
	return span.To, err
}

func bound(text string, now time.Time) (Span, error) {
	if t, err := time.Parse(time.RFC3339, text); err == nil {
		return Span{t, t}, nil
	}
	if t, err := time.ParseInLocation("2006-01-02T15:04", text, wsfev1.Argentina); err == nil {
		return Span{t, t}, nil
	}
	if t, err := time.ParseInLocation(time.DateOnly, text, wsfev1.Argentina); err == nil {
		return day(t), nil // of any year
	}
	words := strings.Fields(text)
	if span, taken := Part(words, now); taken > 0 && taken == len(words) {
		return span, nil
	}
	age, err := caddy.ParseDuration(text)
	if err != nil || age < 0 {
		return Span{}, fmt.Errorf("%q is no time: give %s", text, Forms)
	}
	return Span{now.Add(-age), now.Add(-age)}, nil
}

// Words reads a day, a month, or two of them with ".." or a word between them, both included, at the beginning of
// some words. It returns how many it has taken, 0 for none.
func Words(words []string, now time.Time) (Span, int) {
	if len(words) == 0 {
		return Span{}, 0
	}
	if from, to, found := strings.Cut(words[0], ".."); found {
		first, ok := whole(from, now)
		last, ok2 := whole(to, now)
		if !ok || !ok2 {
			return Span{}, 0
		}
		return first.with(last), 1
	}
	first, taken := Part(words, now)
	if taken == 0 || len(words) < taken+2 || !between[strings.ToLower(words[taken])] {
		return first, taken
	}
	last, more := Part(words[taken+1:], now)
	if more == 0 {
		return first, taken
	}
	return first.with(last), taken + 1 + more
}

// between are the words between two days.
var between = map[string]bool{"a": true, "al": true, "hasta": true, "to": true, "until": true, "-": true, "–": true}

// with returns the time from the beginning of the one to the end of the other, whichever comes first.
func (s Span) with(other Span) Span {
	if other.From.Before(s.From) {
		s, other = other, s
	}
	if other.To.After(s.To) {
		s.To = other.To
	}
	return s
}

func whole(word string, now time.Time) (Span, bool) {
	span, taken := Part([]string{word}, now)
	return span, taken > 0
}

// The ways in which people write a day or a month in digits.
var (
	days   = []string{"2006-01-02", "2/1/2006", "2-1-2006", "2.1.2006", "20060102", "2/1/06"}
	months = []string{"2006-01", "1/2006"}
)

// Part reads a day or a month at the beginning of some words, and returns how many it has taken; 0 for none.
func Part(words []string, now time.Time) (Span, int) {
	if len(words) == 0 || len(words[0]) > 32 {
		return Span{}, 0
	}
	now = now.In(wsfev1.Argentina)
	word := strings.ToLower(words[0])
	if back, ok := relative[word]; ok {
		return day(time.Date(now.Year(), now.Month(), now.Day()-back, 0, 0, 0, 0, wsfev1.Argentina)), 1
	}
	for _, layout := range days {
		if t, ok := parse(layout, word); ok {
			return day(t), 1
		}
	}
	for _, layout := range months {
		if t, ok := parse(layout, word); ok {
			return month(t), 1
		}
	}
	return named(words, now)
}

// relative is how many days before today a word means.
var relative = map[string]int{"hoy": 0, "today": 0, "ayer": 1, "yesterday": 1, "anteayer": 2}

// parse reads a text with a layout. There were no electronic invoices before 2001, so that such a year is something else.
func parse(layout, text string) (time.Time, bool) {
	t, err := time.ParseInLocation(layout, text, wsfev1.Argentina)
	return t, err == nil && inRange(t.Year())
}

func inRange(year int) bool { return year > 2000 && year < 2100 }

func day(t time.Time) Span   { return Span{t, t.AddDate(0, 0, 1)} }
func month(t time.Time) Span { return Span{t, t.AddDate(0, 1, 0)} }
