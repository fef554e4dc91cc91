package backend

import "github.com/fielato/fielato/wsfev1"

// The deadline for reporting, in calendar days after the fortnight's end. Fortnights that begin on
// shorterDeadline or later have deadlineDays.
const (
	earlyDeadlineDays = 30
	deadlineDays      = 5
	shorterDeadline   = wsfev1.Date("20180801")
)

// deadline is the last day for reporting what was issued in the fortnight, by the rule that fits
// every recorded answer of the service (docs/sources.md#caea).
func deadline(f wsfev1.Fortnight) wsfev1.Date {
	if f.From < shorterDeadline {
		return f.To.AddDays(earlyDeadlineDays)
	}
	return f.To.AddDays(deadlineDays)
}

// fortnightName names a fortnight as requests do.
type fortnightName struct {
	periodo int32
	orden   int16
}

// before returns the fortnight before.
func (n fortnightName) before() fortnightName {
	switch {
	case n.orden == 2:
		return fortnightName{n.periodo, 1}
	case n.periodo%100 == 1:
		return fortnightName{n.periodo - 100 + 11, 2}
	}
	return fortnightName{n.periodo - 1, 2}
}
