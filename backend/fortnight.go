package backend

import "github.com/fielato/fielato/wsfev1"

// The deadline for reporting, in days after the fortnight's end. It was extended on
// extendedDeadline.
const (
	deadlineDays         = 5
	extendedDeadlineDays = 8
	extendedDeadline     = wsfev1.Date("20260801")
)

// deadline is the last day for reporting what was issued in the fortnight
// (docs/sources.md#caea).
func deadline(f wsfev1.Fortnight) wsfev1.Date {
	if f.To >= extendedDeadline {
		return f.To.AddDays(extendedDeadlineDays)
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
