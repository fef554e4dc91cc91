package wsfev1

import "time"

// Argentina is the service's time zone: UTC−3 all the year round.
var Argentina = time.FixedZone("-03", -3*60*60)

// Date is a calendar day in Argentina as the service writes it: yyyymmdd. It
// keeps whatever text was sent; Valid tells whether that is a day. Two valid
// dates compare as text. No text means that none was sent.
type Date string

// DateOf returns the day in Argentina on which t falls.
func DateOf(t time.Time) Date { return Date(t.In(Argentina).Format("20060102")) }

// Valid reports whether the text is a day of the calendar.
func (d Date) Valid() bool {
	_, ok := d.Time()
	return ok
}

// Time returns the start of the day in Argentina.
func (d Date) Time() (time.Time, bool) { return parseDigits("20060102", string(d)) }

// AddDays returns the day n days later (earlier where n is negative), or no
// text if the date is not valid.
func (d Date) AddDays(n int) Date {
	t, ok := d.Time()
	if !ok {
		return ""
	}
	return DateOf(t.AddDate(0, 0, n))
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

// Time returns the moment.
func (t Timestamp) Time() (time.Time, bool) { return parseDigits("20060102150405", string(t)) }

func parseDigits(layout, text string) (time.Time, bool) {
	if len(text) != len(layout) {
		return time.Time{}, false
	}
	for i := range len(text) {
		if text[i] < '0' || text[i] > '9' {
			return time.Time{}, false
		}
	}
	t, err := time.ParseInLocation(layout, text, Argentina)
	return t, err == nil
}
