package rules_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fielato/fielato/internal/validatetest"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/validate/rules"
	"github.com/fielato/fielato/wsfev1"
)

// TestFindingsOnNumbersReceiversDatesAndCurrencyPointAtWhatToChange: the member, what
// was expected of it and what came.
func TestFindingsOnNumbersReceiversDatesAndCurrencyPointAtWhatToChange(t *testing.T) {
	const whole = "ImpNeto=0 ImpIVA=0 -Iva "
	for _, c := range []struct{ template, changes, want string }{
		{"factura-b", "CbteDesde=0 CbteHasta=0", "10008 CbteDesde expected 1 a 99999999 got 0\n10010 CbteHasta expected 1 a 99999999 got 0"},
		{"factura-a", "CbteHasta=2", "10012 CbteHasta expected 1 got 2"},
		{"factura-b", "x2 1:CbteDesde=7 1:CbteHasta=7", "10016 CbteDesde expected 2 got 7"},
		{"factura-b", "CbteFch=\"20261126\"", "10016 CbteFch expected 20261115 a 20261125 got 20261126"},
		{"fce-nota-credito-a", "CbteFch=\"20261121\"", "10016 CbteFch expected 20261115 a 20261120 got 20261121"},
		{"factura-a", "DocTipo=96", "10013 DocTipo expected 80 got 96"},
		{"factura-a", "DocNro=30500010911", "10017 DocNro got 30500010911"},
		{"rango-b", "DocTipo=96 DocNro=5", "10015 DocTipo expected 99 y 0 got 96 y 5"},
		{
			"factura-b", "DocTipo=99 DocNro=0 ImpTotal=10000000 ImpOpEx=10000000 " + whole,
			"10015 DocTipo expected otro DocTipo, con su DocNro got 99 y 0",
		},
		{
			"rango-b", "ImpTotal=100000000 ImpOpEx=100000000 " + whole,
			"10014 ImpTotal expected menos de 10000000.00 por comprobante got 100000000.00 pesos en 10 comprobantes",
		},
		{ // the value in pesos has 20 digits
			"factura-b", `DocTipo=99 DocNro=0 MonId="DOL" MonCotiz=9130.034567 ImpTotal=98765432.19 ImpOpEx=98765432.19 ` + whole,
			"10015 DocTipo expected otro DocTipo, con su DocNro got 99 y 0",
		},
		{"factura-a", "DocNro=20111111112", "10069 DocNro expected otro que el del emisor got 20111111112"},
		{"servicios-b", "-FchVtoPago", "10049 FchVtoPago expected aaaammdd"},
		{"factura-b", "FchServDesde=\"20261101\" FchVtoPago=\"20261210\"", "10033 FchServHasta expected las tres fechas, o ninguna"},
		{"servicios-b", "FchServDesde=\"20261201\"", "10032 FchServHasta expected 20261201 o posterior got 20261130"},
		{"dolares-a", "-MonCotiz", "10038 MonCotiz"},
		{"factura-b", "MonCotiz=2.500000", "10039 MonCotiz expected 1 got 2.5"},
		{"factura-b", "CondicionIVAReceptorId=1", "10243 CondicionIVAReceptorId expected 4, 7, 8, 9, 10, 15, 5 got 1"},
		{"factura-b", "-CondicionIVAReceptorId", "10245 CondicionIVAReceptorId expected 4, 7, 8, 9, 10, 15, 5"},
		{"factura-b", "DocTipo=80 DocNro=23000000000", "10067 ImpTrib expected más de 0 got 0.00"},
	} {
		operation, body := validatetest.Changed(t, c.changes, c.template, strings.Fields(c.changes))
		got := strings.Join(lines(judgeBody(t, c.changes, operation, body, rules.Settings{}, validatetest.Noon)), "\n")
		if got != c.want {
			t.Errorf("%s %s:\n got %s\nwant %s", c.template, c.changes, got, c.want)
		}
	}
}

// TestTheThresholdOfTheConsumerIsTheOperatorsToSet: it takes the place of the
// service's own, whatever the day.
func TestTheThresholdOfTheConsumerIsTheOperatorsToSet(t *testing.T) {
	settings := rules.Settings{ConsumerFinalThreshold: wsfev1.MustAmount("121")}
	for changes, want := range map[string]string{
		"DocTipo=99 DocNro=0": "10015",
		"DocTipo=99 DocNro=0 ImpTotal=120.99 ImpNeto=99.99 Iva/AlicIva/0/BaseImp=99.99": "",
		"DocTipo=96 DocNro=5": "",
	} {
		operation, body := validatetest.Changed(t, changes, "factura-b", strings.Fields(changes))
		if got := strings.Join(codesOf(judgeBody(t, changes, operation, body, settings, validatetest.Noon)), " "); got != want {
			t.Errorf("%s: found %q, want %q", changes, got, want)
		}
	}
}

// TestTheConditionIsObligatoryFromItsDay: where the contract has the member. The base contract
// lacks it, so that its absence refuses nothing by itself.
func TestTheConditionIsObligatoryFromItsDay(t *testing.T) {
	eve, day := validatetest.Noon.AddDate(0, 0, 10), validatetest.Noon.AddDate(0, 0, 11)
	if wsfev1.DateOf(day) != "20261201" {
		t.Fatal(day)
	}
	enforced := map[int32]validate.Level{10246: validate.Enforce, 826: validate.Enforce}
	for _, c := range []struct {
		contract validate.Contract
		now      time.Time
		levels   map[int32]validate.Level
		codes    string // in the two operations
		refuses  bool
	}{
		{validate.ARCA, eve, nil, "10245 825", false},
		{validate.ARCA, day, nil, "10246 826", true},
		{validate.ARCA, day, map[int32]validate.Level{10246: validate.Observe, 826: validate.Observe}, "10246 826", false},
		{validate.ARCA, eve, enforced, "10246 826", true},
		{validate.Base, eve, nil, "10245 825", false},
		{validate.Base, day, nil, "10246 826", false},
		{validate.Base, day, enforced, "10246 826", true},
		{"", day, nil, "10246 826", true},
	} {
		judge := rulesUnder(t, rules.Settings{Levels: c.levels})
		for i, template := range []string{"factura-b", "caea-factura-b"} {
			changes := []string{"-CondicionIVAReceptorId", fmt.Sprintf("CbteFch=%q", wsfev1.DateOf(c.now))}
			if template != "factura-b" {
				changes = append(changes, fmt.Sprintf(`CbteFchHsGen="%s101500"`, wsfev1.DateOf(c.now)))
			}
			operation, body := validatetest.Changed(t, template, template, changes)
			verdict, err := rules.Judge(operation, body, rules.Options{Contract: c.contract, Rules: judge, Now: func() time.Time { return c.now }})
			if err != nil {
				t.Fatal(err)
			}
			if got := codesOf(verdict.Findings); !slices.Equal(got, strings.Fields(c.codes)[i:i+1]) || verdict.Refused != c.refuses {
				t.Errorf("%s in contract %q on %s: found %v, refused is %t", template, c.contract, wsfev1.DateOf(c.now), lines(verdict.Findings), verdict.Refused)
			}
			if f := verdict.Findings[0]; !strings.Contains(f.Message(), "01/12/2026") || !strings.Contains(f.Message(), "del receptor: 4, 7, 8, 9, 10, 15 o 5") {
				t.Errorf("%s: no day and no cure in %q", template, f.Message())
			}
		}
	}
}

// TestVouchersDatedBeforeTheDayObserve: no source says which day counts, the voucher's or that
// of the process. One under a CAEA is reported later, the date of another may lie back.
func TestVouchersDatedBeforeTheDayObserve(t *testing.T) {
	for _, test := range []struct {
		template, date, now string
		refuses             bool
	}{
		{"caea-factura-b", "20261128", "2026-12-02", false},
		{"caea-factura-b", "20261130", "2027-03-31", false},
		{"caea-factura-b", "20261201", "2026-12-02", true},
		{"factura-b", "20261128", "2026-12-02", false},
		{"servicios-b", "20261128", "2026-12-08", false},
		{"factura-b", "20261201", "2026-12-01", true},
		{"factura-b", "", "2026-12-01", true},
		{"servicios-b", "20261205", "2026-12-01", true},
	} {
		changes := []string{"-CondicionIVAReceptorId", fmt.Sprintf("CbteFch=%q", test.date)}
		if strings.HasPrefix(test.template, "caea") {
			changes = append(changes, fmt.Sprintf(`CbteFchHsGen="%s101500"`, test.date))
		}
		operation, body := validatetest.Changed(t, test.template, test.template, changes)
		day, err := time.ParseInLocation(time.DateOnly, test.now, wsfev1.Argentina)
		if err != nil {
			t.Fatal(err)
		}
		found := judgeBody(t, test.date, operation, body, rules.Settings{}, day.Add(12*time.Hour))
		if len(found) != 1 || validate.Refuses(found) != test.refuses || !test.refuses && !strings.Contains(found[0].Message(), "anterior al 01/12/2026") {
			t.Errorf("%s of %s on %s: %v, want refused: %t", test.template, test.date, test.now, lines(found), test.refuses)
		}
	}
}

// TestClassCRefusesOnlyWhatNoRegisterCanHave: the service was seen to answer 10015 to a number
// that is not registered. The rest is carried over from class B, and observes.
func TestClassCRefusesOnlyWhatNoRegisterCanHave(t *testing.T) {
	for changes, refuses := range map[string]bool{
		"DocTipo=80 DocNro=123":         true,
		"DocTipo=80 DocNro=0":           true,
		"DocTipo=86 DocNro=20222222222": true,
		"DocTipo=96 DocNro=0":           false,
		"DocTipo=99 DocNro=5":           false,
		"DocTipo=77":                    false,
		"-DocTipo -DocNro":              false,
	} {
		operation, body := validatetest.Changed(t, changes, "factura-c", strings.Fields(changes))
		found := judgeBody(t, changes, operation, body, rules.Settings{}, validatetest.Noon)
		if got := strings.Join(codesOf(found), " "); got != "10015" || validate.Refuses(found) != refuses {
			t.Errorf("%s: found %v, refuses is %t", changes, lines(found), !refuses)
		}
		everything := rules.Settings{Levels: map[int32]validate.Level{10015: validate.Enforce}}
		if !validate.Refuses(judgeBody(t, changes, operation, body, everything, validatetest.Noon)) {
			t.Errorf("%s: passes although 10015 is enforced", changes)
		}
	}
}
