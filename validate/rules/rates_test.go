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

// TestAnInvoiceWithoutARateCountsAtTheOfficialOne: with CanMisMonExt S it may leave MonCotiz out. It counted as pesos,
// a thousand times too little in dollars, and too much in a currency below the peso.
func TestAnInvoiceWithoutARateCountsAtTheOfficialOne(t *testing.T) {
	settings := rules.Settings{Rates: officialRates{"DOL/20261119": wsfev1.MustAmount("1130.034"), "032/20261119": wsfev1.MustAmount("0.35")}, Environment: rules.Production}
	const anonymous = `DocTipo=99 DocNro=0 -MonCotiz CanMisMonExt="S" ImpNeto=0 ImpIVA=0 -Iva `
	for _, c := range []struct{ template, change, want string }{
		{"factura-b", anonymous + `MonId="DOL" ImpTotal=8849.29 ImpOpEx=8849.29`, ""},
		{
			"factura-b", anonymous + `MonId="DOL" ImpTotal=8849.30 ImpOpEx=8849.30`,
			"10015 Desde $ 10.000.000,00 se identifica al receptor, y este comprobante es de $ 10.000.009,8762 a la cotización oficial",
		},
		{"factura-b", anonymous + `MonId="032" ImpTotal=11000000 ImpOpEx=11000000`, ""},
		{"factura-b", anonymous + `MonId="011" ImpTotal=11000000 ImpOpEx=11000000`, ""}, // no rate is at hand
		{"rango-b", `-MonCotiz CanMisMonExt="S" ImpNeto=0 ImpIVA=0 -Iva MonId="DOL" ImpTotal=88493 ImpOpEx=88493`, "10014 Son $ 100.000."},
		{"factura-a", `-MonCotiz CanMisMonExt="S" ImpNeto=0 ImpIVA=0 -Iva MonId="DOL" ImpTotal=9000 ImpOpEx=9000`, "10192 El importe, $ 10.170.306,00"},
		{"factura-a", `-MonCotiz CanMisMonExt="S" ImpNeto=0 ImpIVA=0 -Iva MonId="032" ImpTotal=9000000 ImpOpEx=9000000`, ""},
	} {
		operation, body := validatetest.Changed(t, c.change, c.template, strings.Fields(c.change))
		found := judgeBody(t, c.change, operation, body, settings, validatetest.Noon)
		got := ""
		for _, f := range found {
			got += f.Code + " " + f.Message()
		}
		asWanted := got == "" && c.want == "" || c.want != "" && len(found) == 1 && strings.HasPrefix(got, c.want) &&
			strings.Contains(got, " a la cotización oficial") && found[0].Action == validate.ActionObserve
		if !asWanted {
			t.Errorf("%s: found %v: %s\nwant %s", c.change, found, got, c.want)
		}
	}
}
