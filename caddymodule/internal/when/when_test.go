package when_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/fielato/fielato/caddymodule/internal/when"
	"github.com/fielato/fielato/wsfev1"
)

var now = time.Date(2026, 11, 23, 1, 30, 0, 0, time.UTC) // the 22nd in Argentina

func on(year int, month time.Month, day int) time.Time {
	return time.Date(year, month, day, 0, 0, 0, 0, wsfev1.Argentina)
}

func days(year int, month time.Month, day, n int) when.Span {
	return when.Span{From: on(year, month, day), To: on(year, month, day+n)}
}

// TestWordsOfATime as people write them in both languages.
func TestWordsOfATime(t *testing.T) {
	for text, want := range map[string]struct {
		span  when.Span
		taken int
	}{
		"01/10/2026":               {days(2026, 10, 1, 1), 1},
		"1/10/2026":                {days(2026, 10, 1, 1), 1},
		"16-11-2026":               {days(2026, 11, 16, 1), 1},
		"16.11.2026":               {days(2026, 11, 16, 1), 1},
		"22/11/26":                 {days(2026, 11, 22, 1), 1},
		"2026-11-22":               {days(2026, 11, 22, 1), 1},
		"20261122":                 {days(2026, 11, 22, 1), 1},
		"2026-10":                  {days(2026, 10, 1, 31), 1},
		"10/2026":                  {days(2026, 10, 1, 31), 1},
		"hoy":                      {days(2026, 11, 22, 1), 1},
		"Ayer":                     {days(2026, 11, 21, 1), 1},
		"anteayer":                 {days(2026, 11, 20, 1), 1},
		"yesterday":                {days(2026, 11, 21, 1), 1},
		"octubre":                  {days(2026, 10, 1, 31), 1},
		"october":                  {days(2026, 10, 1, 31), 1},
		"noviembre":                {days(2026, 11, 1, 30), 1},
		"diciembre":                {days(2025, 12, 1, 31), 1}, // this year's has not begun
		"octubre 2025":             {days(2025, 10, 1, 31), 2},
		"octubre de 2025":          {days(2025, 10, 1, 31), 3},
		"Oct 2025":                 {days(2025, 10, 1, 31), 2},
		"setiembre 2026":           {days(2026, 9, 1, 30), 2},
		"febrero 2028":             {days(2028, 2, 1, 29), 2},
		"16 de noviembre de 2026":  {days(2026, 11, 16, 1), 5},
		"16 noviembre":             {days(2026, 11, 16, 1), 2},
		"5 dic":                    {days(2025, 12, 5, 1), 2},
		"octubre 20111111112":      {days(2026, 10, 1, 31), 1},
		"octubre 10048":            {days(2026, 10, 1, 31), 1},
		"2026-11-01..2026-11-22":   {days(2026, 11, 1, 22), 1},
		"2026-10..2026-11":         {days(2026, 10, 1, 61), 1},
		"01/11/2026 al 22/11/2026": {days(2026, 11, 1, 22), 3},
		"22/11/2026 a 01/11/2026":  {days(2026, 11, 1, 22), 3},
		"octubre hasta noviembre":  {days(2026, 10, 1, 61), 3},
		"octubre a 20111111112":    {days(2026, 10, 1, 31), 1},
		"31/02/2026":               {},
		"31 de junio":              {},
		"2026-13":                  {},
		"2026-1":                   {},
		"0001-01":                  {},
		"1999-10":                  {},
		"oct":                      {},
		"16":                       {},
		"16 de":                    {},
		"32 noviembre":             {},
		"22/11":                    {},
		"":                         {},
		"..":                       {},
		"2026-10..":                {},
		"mañana":                   {},
	} {
		span, taken := when.Words(strings.Fields(text), now)
		if taken != want.taken || taken > 0 && (!span.From.Equal(want.span.From) || !span.To.Equal(want.span.To)) {
			t.Errorf("%q: %v, %d words; want %v, %d", text, span, taken, want.span, want.taken)
		}
	}
}

// TestUntilHasItsWholeDay, and its whole month; a moment and an age are moments.
func TestUntilHasItsWholeDay(t *testing.T) {
	for text, want := range map[string][2]time.Time{
		"2026-10-31":                {on(2026, 10, 31), on(2026, 11, 1)},
		"31/10/2026":                {on(2026, 10, 31), on(2026, 11, 1)},
		"2026-10":                   {on(2026, 10, 1), on(2026, 11, 1)},
		"octubre de 2026":           {on(2026, 10, 1), on(2026, 11, 1)},
		"hoy":                       {on(2026, 11, 22), on(2026, 11, 23)},
		"2026-10-31T15:04:05-03:00": {on(2026, 10, 31).Add(15*time.Hour + 4*time.Minute + 5*time.Second), on(2026, 10, 31).Add(15*time.Hour + 4*time.Minute + 5*time.Second)},
		"2026-10-31T15:04":          {on(2026, 10, 31).Add(15*time.Hour + 4*time.Minute), on(2026, 10, 31).Add(15*time.Hour + 4*time.Minute)},
		"2000-01-01":                {on(2000, 1, 1), on(2000, 1, 2)},
		"24h":                       {now.Add(-24 * time.Hour), now.Add(-24 * time.Hour)},
		"7d":                        {now.Add(-7 * 24 * time.Hour), now.Add(-7 * 24 * time.Hour)},
	} {
		since, err := when.Since(text, now)
		until, err2 := when.Until(text, now)
		if err != nil || err2 != nil || !since.Equal(want[0]) || !until.Equal(want[1]) {
			t.Errorf("%q: %v to %v, %v %v; want %v", text, since, until, err, err2, want)
		}
	}
	for _, text := range []string{"", "-1h", "octubre 20111111112", "2026-10-31 15:04", "x", "2026-10..2026-11"} {
		if at, err := when.Until(text, now); err == nil {
			t.Errorf("%q is %v", text, at)
		}
	}
}

// TestEachDayIsReadInEachForm: a calendar tells which.
func TestEachDayIsReadInEachForm(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		day := on(2001, 1, 1).AddDate(0, 0, rapid.IntRange(0, 99*365).Draw(t, "day"))
		if day.Year() > 2099 {
			return
		}
		spanish := [...]string{"enero", "febrero", "marzo", "abril", "mayo", "junio", "julio", "agosto", "septiembre", "octubre", "noviembre", "diciembre"}[day.Month()-1]
		for _, text := range []string{
			day.Format("2006-01-02"), day.Format("02/01/2006"), day.Format("2/1/2006"), day.Format("02-01-2006"), day.Format("20060102"),
			day.Format("2 January 2006"), day.Format("2 Jan 2006"), fmt.Sprintf("%d de %s de %d", day.Day(), spanish, day.Year()),
		} {
			words := strings.Fields(text)
			span, taken := when.Words(words, now)
			if taken != len(words) || !span.From.Equal(day) || !span.To.Equal(day.AddDate(0, 0, 1)) {
				t.Fatalf("%q: %v, %d words", text, span, taken)
			}
		}
		first := on(day.Year(), day.Month(), 1)
		for _, text := range []string{day.Format("2006-01"), day.Format("01/2006"), day.Format("January 2006"), fmt.Sprintf("%s %d", spanish, day.Year())} {
			words := strings.Fields(text)
			span, taken := when.Words(words, now)
			if taken != len(words) || !span.From.Equal(first) || !span.To.Equal(first.AddDate(0, 1, 0)) {
				t.Fatalf("%q: %v, %d words", text, span, taken)
			}
		}
	})
}

// FuzzWords: whatever is written, a time has an end after its beginning.
func FuzzWords(f *testing.F) {
	for _, text := range []string{"16 de noviembre de 2026", "2026-10..ayer", "octubre a hoy", "31/02/2026", "\xff 1"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		words := strings.Fields(text)
		span, taken := when.Words(words, now)
		if taken < 0 || taken > len(words) || taken > 0 && (!span.To.After(span.From) || span.From.Year() < 2000 || span.To.Year() > 2101) {
			t.Errorf("%q: %v, %d words", text, span, taken)
		}
	})
}
