package validate

import "github.com/fielato/fielato/wsfev1"

// DayText writes a date as the texts of findings do: 15/11/2026. A text that is no day is quoted.
func DayText(d wsfev1.Date) string {
	if !d.Valid() {
		return "«" + Printable(string(d)) + "»"
	}
	return string(d[6:] + "/" + d[4:6] + "/" + d[:4])
}
