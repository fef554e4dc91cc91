package find

import (
	"strings"
	"time"

	"github.com/fielato/fielato/wsfev1"
)

// layouts are the ways in which people write a day.
var layouts = []string{"2006-01-02", "02/01/2006", "2/1/2006", "02-01-2006", "20060102", "2/1/06"}

// isDayPart reports whether a text may begin a day such as 22/11/2026.
func isDayPart(text string) bool {
	_, ok := number(text, 2)
	return ok
}

// readDay reads a day, or "hoy" and "ayer", in the authority's zone; or two days with "a" or ".." between
// them, both included.
func readDay(r *Request, words []string, now time.Time) int {
	if !r.Query.Since.IsZero() || !r.Query.Until.IsZero() {
		return 0
	}
	if from, to, found := strings.Cut(words[0], ".."); found {
		first, ok := day(from, now)
		last, ok2 := day(to, now)
		if !ok || !ok2 {
			return 0
		}
		return r.between(first, last, 1)
	}
	first, ok := day(words[0], now)
	if !ok {
		return 0
	}
	if len(words) > 2 && (words[1] == "a" || words[1] == "al" || words[1] == "to") {
		if last, ok := day(words[2], now); ok {
			return r.between(first, last, 3)
		}
	}
	return r.between(first, first, 1)
}

// between sets the days, of which both are included.
func (r *Request) between(first, last time.Time, words int) int {
	if last.Before(first) {
		first, last = last, first
	}
	r.Query.Since, r.Query.Until = first, last.AddDate(0, 0, 1)
	return words
}

// day returns the beginning of a day.
func day(word string, now time.Time) (time.Time, bool) {
	now = now.In(wsfev1.Argentina)
	today := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, wsfev1.Argentina)
	switch strings.ToLower(word) {
	case "hoy", "today":
		return today, true
	case "ayer", "yesterday":
		return today.AddDate(0, 0, -1), true
	}
	for _, layout := range layouts {
		if t, err := time.ParseInLocation(layout, word, wsfev1.Argentina); err == nil && t.Year() > 2000 && t.Year() < 2100 {
			return t, true
		}
	}
	return time.Time{}, false
}
