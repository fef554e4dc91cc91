package wsfev1

import "time"

// Argentina is the service's time zone: UTC−3 all the year round.
var Argentina = time.FixedZone("-03", -3*60*60)

// Date is a calendar day in Argentina as the service writes it: yyyymmdd. It
// keeps whatever text was sent; Valid tells whether that is a day. Two valid
// dates compare as text. No text means that none was sent.
type Date string

// DateOf returns the day in Argentina on which t falls.
func DateOf(t time.Time) Date {
	t = t.In(Argentina)
	year, month, day := t.Date()
	if year < 0 || year > 9999 {
		return Date(t.Format("20060102"))
	}
	return dateText(year, int(month), day)
}

// Valid reports whether the text is a day of the calendar.
func (d Date) Valid() bool {
	_, _, _, ok := d.parts()
	return ok
}

// Time returns the start of the day in Argentina.
func (d Date) Time() (time.Time, bool) {
	year, month, day, ok := d.parts()
	if !ok {
		return time.Time{}, false
	}
	return time.Date(year, time.Month(month), day, 0, 0, 0, 0, Argentina), true
}

// AddDays returns the day n days later (earlier where n is negative), or no
// text if the date is not valid.
func (d Date) AddDays(n int) Date {
	year, month, day, ok := d.parts()
	switch {
	case !ok:
		return ""
	case n >= 1-day && n <= daysIn(year, month)-day:
		return dateText(year, month, day+n)
	}
	return DateOf(time.Date(year, time.Month(month), day, 0, 0, 0, 0, Argentina).AddDate(0, 0, n))
}

// SameMonth reports whether both dates are valid and fall in the same month of
// the same year.
func (d Date) SameMonth(other Date) bool {
	return d.Valid() && other.Valid() && d[:len("yyyymm")] == other[:len("yyyymm")]
}

// BusinessDay returns the day, or the Friday before a weekend. Holidays count as business days.
// It returns no text if the date is not valid.
func (d Date) BusinessDay() Date {
	t, _ := d.Time()
	switch t.Weekday() {
	case time.Saturday:
		return d.AddDays(-1)
	case time.Sunday:
		return d.AddDays(-2)
	}
	return d.AddDays(0)
}

func (d Date) parts() (year, month, day int, ok bool) {
	n, ok := digits(string(d), len("yyyymmdd"))
	if !ok {
		return 0, 0, 0, false
	}
	return calendarDay(n)
}

// Timestamp is a moment in Argentina as the service writes it: yyyymmddhhmiss.
type Timestamp string

// TimestampOf returns t, to the second, in Argentina's time.
func TimestampOf(t time.Time) Timestamp {
	return Timestamp(t.In(Argentina).Format("20060102150405"))
}

// Valid reports whether the text is a moment of the calendar.
func (t Timestamp) Valid() bool {
	_, ok := t.Time()
	return ok
}

// Date returns the day of the moment, or no text if the timestamp is not valid.
func (t Timestamp) Date() Date {
	if !t.Valid() {
		return ""
	}
	return Date(t[:len("yyyymmdd")])
}

// Time returns the moment.
func (t Timestamp) Time() (time.Time, bool) {
	n, ok := digits(string(t), len("yyyymmddhhmiss"))
	if !ok {
		return time.Time{}, false
	}
	year, month, day, ok := calendarDay(n / 1_000_000)
	hour, minute, second := int(n/10_000%100), int(n/100%100), int(n%100)
	if !ok || hour > 23 || minute > 59 || second > 59 {
		return time.Time{}, false
	}
	return time.Date(year, time.Month(month), day, hour, minute, second, 0, Argentina), true
}

// digits reads a text of exactly this length that holds nothing but the digits
// 0 to 9. Dates are read here and not by time.Parse because the rules ask of
// each invoice several times whether its dates are days.
func digits(text string, length int) (int64, bool) {
	if len(text) != length {
		return 0, false
	}
	var n int64
	for i := range len(text) {
		c := text[i] - '0' // wraps around below '0' and so is above 9 too
		if c > 9 {
			return 0, false
		}
		n = n*10 + int64(c)
	}
	return n, true
}

// calendarDay splits yyyymmdd and reports whether the calendar has that day. It
// agrees with time.Parse, which knows a year 0 and counts it as a leap year.
func calendarDay(yyyymmdd int64) (year, month, day int, ok bool) {
	year, month, day = int(yyyymmdd/10_000), int(yyyymmdd/100%100), int(yyyymmdd%100)
	return year, month, day, month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month)
}

var monthLengths = [...]uint8{1: 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}

// daysIn returns the length of a month, 1 to 12.
func daysIn(year, month int) int {
	if month == 2 && year%4 == 0 && (year%100 != 0 || year%400 == 0) {
		return 29
	}
	return int(monthLengths[month])
}

// dateText writes a day of the years 0 to 9999.
func dateText(year, month, day int) Date {
	text := [...]byte{
		'0' + byte(year/1000), '0' + byte(year/100%10), '0' + byte(year/10%10), '0' + byte(year%10),
		'0' + byte(month/10), '0' + byte(month%10), '0' + byte(day/10), '0' + byte(day%10),
	}
	return Date(text[:])
}
