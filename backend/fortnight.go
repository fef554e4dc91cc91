package backend

import "github.com/fielato/fielato/wsfev1"

// The deadline for reporting is so many days after the fortnight's end. It was
// lengthened on extendedDeadline.
const (
	deadlineDays         = 5
	extendedDeadlineDays = 8
	extendedDeadline     = wsfev1.Date("20260801")
)

// deadline is the last day for reporting what was issued in the fortnight
// (domain.md §3.11).
func deadline(f wsfev1.Fortnight) wsfev1.Date {
	if f.To >= extendedDeadline {
		return f.To.AddDays(extendedDeadlineDays)
	}
	return f.To.AddDays(deadlineDays)
}
