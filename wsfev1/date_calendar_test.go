package wsfev1_test

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/fielato/fielato/wsfev1"
)

// parsed is what a date or a timestamp means by the time package, digits only.
func parsed(layout, text string) (time.Time, bool) {
	if len(text) != len(layout) {
		return time.Time{}, false
	}
	for _, c := range []byte(text) {
		if c < '0' || c > '9' {
			return time.Time{}, false
		}
	}
	t, err := time.ParseInLocation(layout, text, wsfev1.Argentina)
	if err != nil {
		return time.Time{}, false
	}
	return t, true
}

type fataler interface {
	Helper()
	Fatalf(format string, args ...any)
}

func holdDate(t fataler, text string) {
	t.Helper()
	want, valid := parsed("20060102", text)
	d := wsfev1.Date(text)
	if got := d.Valid(); got != valid {
		t.Fatalf("%q is valid: %v, want %v", text, got, valid)
	}
	if got, ok := d.Time(); ok != valid || got != want {
		t.Fatalf("%q is %v (%v), want %v (%v)", text, got, ok, want, valid)
	}
}

func holdTimestamp(t fataler, text string) {
	t.Helper()
	want, valid := parsed("20060102150405", text)
	stamp := wsfev1.Timestamp(text)
	if got := stamp.Valid(); got != valid {
		t.Fatalf("%q is valid: %v, want %v", text, got, valid)
	}
	if got, ok := stamp.Time(); ok != valid || got != want {
		t.Fatalf("%q is %v (%v), want %v (%v)", text, got, ok, want, valid)
	}
	day := wsfev1.Date("")
	if valid {
		day = wsfev1.Date(text[:8])
	}
	if got := stamp.Date(); got != day {
		t.Fatalf("%q falls on %q, want %q", text, got, day)
	}
}

// TestEveryDayOfTwoCenturiesIsAsTheTimePackageHasIt goes through all months 0 to
// 13 and days 0 to 32, those that exist and those that do not.
func TestEveryDayOfTwoCenturiesIsAsTheTimePackageHasIt(t *testing.T) {
	for year := 1900; year <= 2100; year++ {
		for month := 0; month <= 13; month++ {
			for day := 0; day <= 32; day++ {
				holdDate(t, fmt.Sprintf("%04d%02d%02d", year, month, day))
			}
		}
	}
}

func TestEveryDayOfTwoCenturiesIsFollowedByTheNext(t *testing.T) {
	day := time.Date(1900, 1, 1, 0, 0, 0, 0, wsfev1.Argentina)
	date := wsfev1.Date("19000101")
	for ; day.Year() <= 2100; day = day.AddDate(0, 0, 1) {
		if want := wsfev1.Date(day.Format("20060102")); date != want || wsfev1.DateOf(day) != want {
			t.Fatalf("%s and %s, want %s", date, wsfev1.DateOf(day), want)
		}
		date = date.AddDays(1)
		if back := date.AddDays(-1); string(back) != day.Format("20060102") {
			t.Fatalf("the day before %s is %s", date, back)
		}
	}
}

func TestDaysAreAddedAsTheTimePackageAddsThem(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := fmt.Sprintf("%04d%02d%02d", rapid.IntRange(0, 9999).Draw(t, "year"),
			rapid.IntRange(0, 13).Draw(t, "month"), rapid.IntRange(0, 32).Draw(t, "day"))
		n := rapid.OneOf(rapid.IntRange(-40, 40), rapid.IntRange(-5_000_000, 5_000_000)).Draw(t, "days")
		holdDate(t, text)
		var want wsfev1.Date
		if start, ok := parsed("20060102", text); ok {
			want = wsfev1.Date(start.AddDate(0, 0, n).Format("20060102"))
		}
		if got := wsfev1.Date(text).AddDays(n); got != want {
			t.Fatalf("%s plus %d days is %q, want %q", text, n, got, want)
		}
	})
}

func TestAMomentIsAsTheTimePackageHasIt(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		holdTimestamp(t, fmt.Sprintf("%04d%02d%02d%02d%02d%02d", rapid.IntRange(0, 9999).Draw(t, "year"),
			rapid.IntRange(0, 13).Draw(t, "month"), rapid.IntRange(0, 32).Draw(t, "day"),
			rapid.IntRange(0, 25).Draw(t, "hour"), rapid.IntRange(0, 61).Draw(t, "minute"), rapid.IntRange(0, 61).Draw(t, "second")))
	})
}

func TestAMalformedTextIsNoDateAndNoMoment(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		date := []byte("20240229")
		stamp := []byte("20240229235959")
		at := rapid.IntRange(0, 13).Draw(t, "at")
		c := rapid.Byte().Draw(t, "byte")
		date[at%8], stamp[at] = c, c
		holdDate(t, string(date))
		holdTimestamp(t, string(stamp))
		text := rapid.StringMatching(`[0-9 +\-:/.]{0,16}`).Draw(t, "text")
		holdDate(t, text)
		holdTimestamp(t, text)
	})
	for _, text := range []string{
		"", "0", "00000000", "00000101", "00000229", "00010229", "99991231", "99990229", "1", "2026112", "202611200",
		"2026/1/1", "٢٠٢٦", "20261120\x00", "\xff\xff\xff\xff\xff\xff\xff\xff",
	} {
		holdDate(t, text)
		holdTimestamp(t, text)
		holdTimestamp(t, text+"120000")
	}
}

func TestABusinessDayIsNoDayOfAWeekend(t *testing.T) {
	for day, want := range map[wsfev1.Date]wsfev1.Date{
		"20261120": "20261120", "20261121": "20261120", "20261122": "20261120", "20261123": "20261123",
		"20261101": "20261030", "20270102": "20270101", "20261131": "", "": "", "x": "",
	} {
		if got := day.BusinessDay(); got != want {
			t.Errorf("%q goes back to %q, want %q", day, got, want)
		}
	}
}

func TestAMonthIsTheSameOnlyWithinOneYear(t *testing.T) {
	for _, c := range []struct {
		a, b wsfev1.Date
		want bool
	}{
		{"20261101", "20261130", true},
		{"20261130", "20261130", true},
		{"20261130", "20261201", false},
		{"20261120", "20251120", false},
		{"20261120", "20271020", false},
		{"20261101", "20261131", false},
		{"20261131", "20261101", false},
		{"20261131", "20261131", false},
		{"", "", false},
		{"20261120", "", false},
		{"", "20261120", false},
		{"202611", "202611", false},
	} {
		if got := c.a.SameMonth(c.b); got != c.want {
			t.Errorf("%q and %q are of one month: %v, want %v", c.a, c.b, got, c.want)
		}
	}
}
