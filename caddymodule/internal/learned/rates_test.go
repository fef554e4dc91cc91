package learned

import (
	"fmt"
	"testing"

	"github.com/fielato/fielato/wsfev1"
)

// TestAnAnswerIsTheRateOfItsDay: of the day that it names, of one of the past that was asked for, and,
// without one, of the business day before today. One of today may still change.
func TestAnAnswerIsTheRateOfItsDay(t *testing.T) {
	const today = "20260720" // a Monday
	for _, c := range []struct{ asked, answered, days string }{
		{"", "20260717", "20260717"},
		{"", "20260716", "20260716 20260717"}, // the Friday was a holiday
		{"", today, ""},
		{"20260716", "20260716", "20260716"},
		{"20260717", "20260716", "20260716 20260717"},
		{"20260719", "20260717", "20260717 20260719"}, // a Sunday
		{today, "20260717", "20260717"},
		{"20260716", "x", ""},
	} {
		var rates Rates
		rates.learn(&wsfev1.FEParamGetCotizacionRequest{MonId: "DOL", FchCotiz: wsfev1.Date(c.asked)}, today,
			&wsfev1.Cotizacion{MonId: "DOL", MonCotiz: wsfev1.MustAmount("1130.034"), FchCotiz: wsfev1.Date(c.answered)})
		known := ""
		for day := wsfev1.Date("20260710"); day <= "20260725"; day = day.AddDays(1) {
			if rates.Official("DOL", day).Sent() {
				known += " " + string(day)
			}
		}
		if known != "" {
			known = known[1:]
		}
		if known != c.days || rates.Official("060", "20260717").Sent() {
			t.Errorf("asked %q, answered %q: known on %s, want %s", c.asked, c.answered, known, c.days)
		}
	}
}

// TestAnAnswerThatIsNoRateIsNotKept.
func TestAnAnswerThatIsNoRateIsNotKept(t *testing.T) {
	var rates Rates
	for _, answer := range []wsfev1.Cotizacion{
		{MonId: "060", MonCotiz: wsfev1.MustAmount("1"), FchCotiz: "20260717"},
		{MonId: "DOL", FchCotiz: "20260717"},
		{MonId: "DOL", MonCotiz: wsfev1.MustAmount("0"), FchCotiz: "20260717"},
		{MonId: "DOL", MonCotiz: wsfev1.MustAmount("-1"), FchCotiz: "20260717"},
		{MonId: "DOL", MonCotiz: wsfev1.MustAmount("1")},
	} {
		rates.learn(&wsfev1.FEParamGetCotizacionRequest{MonId: "DOL"}, "20260720", &answer)
	}
	if len(rates.known) > 0 {
		t.Errorf("kept %v", rates.known)
	}
}

// TestTheRatesAreBounded whatever is asked.
func TestTheRatesAreBounded(t *testing.T) {
	var rates Rates
	for i := range 3 * maxRates {
		id := fmt.Sprintf("%03d", i)
		rates.learn(&wsfev1.FEParamGetCotizacionRequest{MonId: id}, "20260720",
			&wsfev1.Cotizacion{MonId: id, MonCotiz: wsfev1.MustAmount("1"), FchCotiz: "20260717"})
	}
	if len(rates.known) > maxRates {
		t.Errorf("%d are kept", len(rates.known))
	}
}
