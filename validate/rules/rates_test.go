package rules_test

import (
	"strings"
	"testing"

	"github.com/fielato/fielato/internal/validatetest"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/validate/rules"
	"github.com/fielato/fielato/wsfev1"
)

// officialRates are the official rates at hand, by currency and day.
type officialRates map[string]wsfev1.Amount

func (r officialRates) Official(monID string, day wsfev1.Date) wsfev1.Amount {
	return r[monID+"/"+string(day)]
}

// TestTheOfficialRateIsInTheMessage: what it is, of which day, and what may be sent.
func TestTheOfficialRateIsInTheMessage(t *testing.T) {
	settings := rules.Settings{Rates: officialRates{"DOL/20261119": wsfev1.MustAmount("1130.034000")}}
	for _, c := range []struct{ change, want string }{
		{"MonCotiz=5000", "La cotización oficial de DOL del 19/11/2026 es 1130,034: MonCotiz debe estar entre el 2 % y el 400 % de ella; se informó 5000"},
		{`MonCotiz=1130 CanMisMonExt="S"`, "La cotización oficial de DOL del 19/11/2026 es 1130,034: con CanMisMonExt S, MonCotiz debe ser esa, o no informarse; se informó 1130"},
	} {
		operation, body := validatetest.Changed(t, c.change, "dolares-a", strings.Fields(c.change))
		found := judgeBody(t, c.change, operation, body, settings, validatetest.Noon)
		if len(found) != 1 || !strings.HasPrefix(found[0].Message(), c.want+" (/") || found[0].Action != validate.ActionObserve {
			t.Errorf("%s: found %v", c.change, found)
		}
	}
}

// TestWithoutARateAtHandNothingIsSaidOfIt.
func TestWithoutARateAtHandNothingIsSaidOfIt(t *testing.T) {
	for _, settings := range []rules.Settings{{}, {Rates: officialRates{}}, {Rates: officialRates{"DOL/20261118": wsfev1.MustAmount("1")}}} {
		operation, body := validatetest.Changed(t, "", "dolares-a", []string{"MonCotiz=9999", `CanMisMonExt="S"`})
		if found := judgeBody(t, "", operation, body, settings, validatetest.Noon); len(found) > 0 {
			t.Errorf("%v: found %v", settings.Rates, lines(found))
		}
	}
}
