package when

import (
	"strconv"
	"strings"
	"time"

	"github.com/fielato/fielato/wsfev1"
)

// monthNames are the months as people write them. A short name is one only beside a day or a year.
var monthNames = namesOfMonths()

func namesOfMonths() map[string]time.Month {
	all := map[string]time.Month{"setiembre": time.September, "set": time.September}
	for i, names := range [...][2]string{
		{"enero", "january"},
		{"febrero", "february"},
		{"marzo", "march"},
		{"abril", "april"},
		{"mayo", "may"},
		{"junio", "june"},
		{"julio", "july"},
		{"agosto", "august"},
		{"septiembre", "september"},
		{"octubre", "october"},
		{"noviembre", "november"},
		{"diciembre", "december"},
	} {
		for _, name := range names {
			all[name], all[name[:3]] = time.Month(i+1), time.Month(i+1)
		}
	}
	return all
}

// named reads a month with its name: "octubre", "octubre de 2026", "16 de noviembre de 2026". Without a year it is the
// last one that has begun.
func named(words []string, now time.Time) (Span, int) {
	at, date := 0, 0
	if n, err := strconv.Atoi(words[0]); err == nil && n > 0 && n < 32 && len(words[0]) <= 2 {
		date = n
		at = 1 + of(words[1:])
	}
	if at >= len(words) {
		return Span{}, 0
	}
	name := strings.TrimSuffix(strings.ToLower(words[at]), ".")
	m, ok := monthNames[name]
	if !ok {
		return Span{}, 0
	}
	at++
	year := 0
	if skip := of(words[at:]); at+skip < len(words) {
		if n, err := strconv.Atoi(words[at+skip]); err == nil && inRange(n) && len(words[at+skip]) == 4 {
			year, at = n, at+skip+1
		}
	}
	if year == 0 && date == 0 && (len(name) == 3 && name != "may") {
		return Span{}, 0
	}
	return ofMonth(year, m, date, now, at)
}

// of returns 1 if the words begin with "de" or "del", as in "octubre de 2026".
func of(words []string) int {
	if len(words) > 0 {
		switch strings.ToLower(words[0]) {
		case "de", "del", "of":
			return 1
		}
	}
	return 0
}

func ofMonth(year int, m time.Month, date int, now time.Time, taken int) (Span, int) {
	open := year == 0
	if open {
		year = now.Year()
	}
	first := time.Date(year, m, max(date, 1), 0, 0, 0, 0, wsfev1.Argentina)
	if open && first.After(now) {
		first = time.Date(year-1, m, max(date, 1), 0, 0, 0, 0, wsfev1.Argentina)
	}
	if first.Month() != m { // the 31st of June
		return Span{}, 0
	}
	if date == 0 {
		return month(first), taken
	}
	return day(first), taken
}
