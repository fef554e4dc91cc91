package wsfev1_test

import (
	"testing"
	"time"

	"github.com/fielato/fielato/wsfev1"
)

func TestADateIsADayOfTheCalendar(t *testing.T) {
	for text, want := range map[wsfev1.Date]bool{
		"20261120": true, "20240229": true, "20260229": false, "21000229": false, "20000229": true,
		"20261301": false, "20260001": false, "20260100": false, "20260132": false, "20260431": false,
		"2026112": false, "202611200": false, "": false, "NULL": false, "2026-1-2": false, "2026112a": false,
		"+2026112": false, " 2026112": false, "२०२६": false, "00000000": false,
	} {
		if got := text.Valid(); got != want {
			t.Errorf("%q is valid: %v, want %v", text, got, want)
		}
	}
}

func TestTheDayChangesAtMidnightInArgentina(t *testing.T) {
	for moment, want := range map[string]wsfev1.Date{
		"2026-11-20T02:59:59Z":      "20261119",
		"2026-11-20T03:00:00Z":      "20261120",
		"2027-01-01T02:59:59Z":      "20261231",
		"2024-03-01T02:00:00Z":      "20240229",
		"2026-11-20T23:59:59-03:00": "20261120",
		"2026-07-01T02:59:59Z":      "20260630", // no summer time
	} {
		at, err := time.Parse(time.RFC3339, moment)
		if err != nil {
			t.Fatal(err)
		}
		if got := wsfev1.DateOf(at); got != want {
			t.Errorf("%s falls on %s, want %s", moment, got, want)
		}
	}
}

func TestADayBeginsAtThreeInTheMorningUTC(t *testing.T) {
	start, ok := wsfev1.Date("20261120").Time()
	if want := time.Date(2026, 11, 20, 3, 0, 0, 0, time.UTC); !ok || !start.Equal(want) {
		t.Errorf("begins at %v (%v), want %v", start, ok, want)
	}
}

func TestAddDaysCrossesMonthsAndYears(t *testing.T) {
	for _, c := range []struct {
		from wsfev1.Date
		days int
		want wsfev1.Date
	}{
		{"20240228", 1, "20240229"},
		{"20260228", 1, "20260301"},
		{"20261231", 1, "20270101"},
		{"20270101", -1, "20261231"},
		{"20261120", 10, "20261130"},
		{"20261120", 0, "20261120"},
		{"20261301", 1, ""},
		{"", 1, ""},
	} {
		if got := c.from.AddDays(c.days); got != c.want {
			t.Errorf("%q plus %d days is %q, want %q", c.from, c.days, got, c.want)
		}
	}
}

func TestATimestampHasFourteenDigits(t *testing.T) {
	for text, want := range map[wsfev1.Timestamp]bool{
		"20261120235959": true, "20261120000000": true, "20261120240000": false, "20261120236000": false,
		"20261120235960": false, "20261120": false, "20260229000000": false, "": false, "2026112023595a": false,
	} {
		if got := text.Valid(); got != want {
			t.Errorf("%q is valid: %v, want %v", text, got, want)
		}
	}
}

func TestATimestampIsInArgentinasTime(t *testing.T) {
	at := time.Date(2026, 11, 20, 2, 4, 5, 999_999_999, time.UTC)
	stamp := wsfev1.TimestampOf(at)
	if stamp != "20261119230405" {
		t.Errorf("got %s", stamp)
	}
	if back, ok := stamp.Time(); !ok || !back.Equal(at.Truncate(time.Second)) {
		t.Errorf("reads back as %v (%v)", back, ok)
	}
}
