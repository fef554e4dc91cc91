package audit

import (
	"fmt"
	"time"

	"github.com/fielato/fielato/wsfev1"
)

// Period is a fiscal period: a calendar month in Argentina. Periods are ordered as
// numbers are, each one more than the one before. Stores keep the number, which is
// twelve times the year plus the month counted from 0: it never changes.
type Period int32

// PeriodOf returns the period in which t falls.
func PeriodOf(t time.Time) Period {
	year, month, _ := t.In(wsfev1.Argentina).Date()
	return Period(year*12 + int(month-1))
}

// ParsePeriod reads a period such as 2026-11.
func ParsePeriod(text string) (Period, error) {
	t, err := time.ParseInLocation("2006-01", text, wsfev1.Argentina)
	if err != nil {
		return 0, fmt.Errorf("%q is not a period: give year and month, such as 2026-11", text)
	}
	return PeriodOf(t), nil
}

// Start returns the moment at which the period begins.
func (p Period) Start() time.Time {
	return time.Date(0, time.Month(int(p)+1), 1, 0, 0, 0, 0, wsfev1.Argentina)
}

// String returns year and month, such as 2026-11.
func (p Period) String() string { return p.Start().Format("2006-01") }
