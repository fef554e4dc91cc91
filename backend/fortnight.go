package backend

import (
	"time"

	"github.com/fielato/fielato/wsfev1"
)

// fortnight is the half of a month for which an advance code is given
// (domain.md §3.11).
type fortnight struct {
	// from and to are its first and last day.
	from, to wsfev1.Date
}

// caeaLead is how many days before a fortnight its code may be asked for.
const caeaLead = 5

// The deadline for reporting is so many days after the fortnight's end. It was
// lengthened on extendedDeadline.
const (
	deadlineDays         = 5
	extendedDeadlineDays = 8
	extendedDeadline     = wsfev1.Date("20260801")
)

// validPeriodo reports whether a number is yyyymm.
func validPeriodo(periodo int32) bool {
	year, month := periodo/100, periodo%100
	return year >= 1000 && year <= 9999 && month >= 1 && month <= 12
}

func validOrden(orden int16) bool { return orden == 1 || orden == 2 }

// fortnightOf returns a fortnight; periodo and orden are valid.
func fortnightOf(periodo int32, orden int16) fortnight {
	first := time.Date(int(periodo/100), time.Month(periodo%100), 1, 0, 0, 0, 0, wsfev1.Argentina)
	if orden == 1 {
		return fortnight{wsfev1.DateOf(first), wsfev1.DateOf(first.AddDate(0, 0, 14))}
	}
	return fortnight{wsfev1.DateOf(first.AddDate(0, 0, 15)), wsfev1.DateOf(first.AddDate(0, 1, -1))}
}

// opens is the first day on which the fortnight's code may be asked for; the last
// one is the fortnight's own.
func (f fortnight) opens() wsfev1.Date { return f.from.AddDays(-caeaLead) }

// deadline is the last day for reporting what was issued in the fortnight.
func (f fortnight) deadline() wsfev1.Date {
	if f.to >= extendedDeadline {
		return f.to.AddDays(extendedDeadlineDays)
	}
	return f.to.AddDays(deadlineDays)
}
