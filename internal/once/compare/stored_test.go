package compare_test

import (
	"reflect"
	"testing"

	"github.com/fielato/fielato/internal/once/compare"
	"github.com/fielato/fielato/wsfev1"
)

// storedForms are amounts as a client may write them, and as the service gives them back.
var storedForms = []struct{ sent, kept string }{
	{"121.00000000000000001", "121"},
	{"120.99999999999999999999", "121"},
	{"121.00000000000000000000000000000", "121.0"},
	{"931569.09999999998", "931569.1"},
	{"931569.1", "931569.0999999999767"},
	{"121.00000000000003", "121"}, // another double, the same decimal
	{"1.21e2", "121"},
	{"1.21E+2", "1.21E2"},
	{"12100000e-5", "121.00"},
	{"121", "1.2100000000000000000000e+2"},
	{"1e-30", "0"},
	{"1e-30", "1E-30"},
	{"-1e-400", "0"},
	{"-0", "0"},
	{"-0.00", "0"},
	{"0e5", "0"},
	{"0.1", "0.1000000000000000055511151231257827"},
	{"1234567890123.45", "1.23456789012345E+12"},
	{"9999999999999.99", "9999999999999.990234375"},
	{"1e22", "10000000000000000000000"},
	{"1e400", "1E400"},
}

// TestAmountsAreComparedAsTheServiceStoresThem, wherever an invoice has one: as the key of a list's item
// too.
func TestAmountsAreComparedAsTheServiceStoresThem(t *testing.T) {
	amounts := 0
	for i, l := range leavesOf(invoiceShape, wsfev1.LotOf(whole(false)).Invoice(0)) {
		if l.shape.Kind != wsfev1.KindAmount {
			continue
		}
		amounts++
		compare := func(sent, kept string) []compare.Difference {
			r, has := whole(false), keptOf(t, whole(false))
			set := func(invoice *wsfev1.FECAEDetRequest, text string) {
				leavesOf(invoiceShape, invoice)[i].value.Set(reflect.ValueOf(wsfev1.MustAmount(text)))
			}
			set(wsfev1.LotOf(r).Invoice(0), sent)
			set(&has.FECAEDetRequest, kept)
			return differences(r, has)
		}
		for _, form := range storedForms {
			if d := compare(form.sent, form.kept); len(d) > 0 {
				t.Errorf("%s: %s is kept as %s: %+v", l.path, form.sent, form.kept, d)
			}
		}
		for _, other := range []struct{ sent, kept string }{
			{"121.01", "121"},
			{"121.00", "-121"},
			{"9999999999999.99", "9999999999999.98"},
			{"1e3", "1e4"},
			{"1e400", "1e401"},
			{"1450.500001", "1450.5"},
			{"121", "121.00000000000003"},
			{"100.00", "100.00000000000001"},
			{"5", "5.000000000001"},
		} {
			if d := compare(other.sent, other.kept); len(d) == 0 {
				t.Errorf("%s: %s is taken for %s", l.path, other.sent, other.kept)
			}
		}
	}
	if amounts < 15 {
		t.Errorf("%d amounts", amounts)
	}
}

// TestOtherSpellingsAreOfTheSameInvoice: what a service may make of a text.
func TestOtherSpellingsAreOfTheSameInvoice(t *testing.T) {
	type invoice = wsfev1.FECAEDetRequest
	desc := func(text string) func(*invoice) { return func(v *invoice) { v.Tributos.Tributo[0].Desc = text } }
	associated := func(cuit string) func(*invoice) { return func(v *invoice) { v.CbtesAsoc.CbteAsoc[0].Cuit = cuit } }
	due := func(text wsfev1.Date) func(*invoice) { return func(v *invoice) { v.FchVtoPago = text } }
	for name, one := range map[string]struct {
		sent, kept func(*invoice)
		same       bool
	}{
		"an accent in two parts":         {desc("Percepcio\u0301n"), desc("Percepción"), true},
		"an accent put together":         {desc("Percepción"), desc("Percepcio\u0301n"), true},
		"an accent taken away":           {desc("Percepcio\u0301n"), desc("Percepcion"), true},
		"bytes read one by one":          {desc("Percepción"), desc("PercepciÃ³n"), true},
		"a question mark for each byte":  {desc("Percepción"), desc("Percepci??n"), true},
		"a letter that is gone":          {desc("Percepción"), desc("Percepcin"), true},
		"another word":                   {desc("Percepción"), desc("Retención"), false},
		"a letter more":                  {desc("Percepcion"), desc("Percepciones"), false},
		"a line broken":                  {desc("Tasa\r\nmunicipal"), desc("Tasa\nmunicipal"), true},
		"a tab":                          {desc("Tasa\tmunicipal"), desc("Tasa municipal"), true},
		"spaces drawn together":          {desc("Tasa   municipal "), desc("Tasa municipal"), true},
		"a control character at the end": {desc("Tasa\x01"), desc("Tasa"), true},
		"a no-break space around it":     {desc("Tasa\u00a0"), desc("Tasa"), true},
		"a currency in small letters":    {func(v *invoice) { v.MonId = "dol" }, func(v *invoice) { v.MonId = "DOL" }, true},
		"another currency":               {func(v *invoice) { v.MonId = "dol" }, func(v *invoice) { v.MonId = "060" }, false},
		"s":                              {func(v *invoice) { v.CanMisMonExt = "s" }, func(v *invoice) { v.CanMisMonExt = "S" }, true},
		"a CUIT with hyphens":            {associated("30-50001091-2"), associated("30500010912"), true},
		"another CUIT with hyphens":      {associated("30-50001091-2"), associated("30500010920"), false},
		"a day with hyphens":             {due("20261123"), due("2026-11-23"), true},
		"a day with its time":            {due("20261123"), due("2026-11-23T00:00:00"), true},
		"a day with zeros":               {due("20261123"), due("20261123000000"), true},
		"another day with its time":      {due("20261123"), due("2026-11-24T00:00:00"), false},
		"no day":                         {due("20261123"), due("NULL"), false},
	} {
		t.Run(name, func(t *testing.T) {
			r, kept := whole(false), keptOf(t, whole(false))
			one.sent(wsfev1.LotOf(r).Invoice(0))
			one.kept(&kept.FECAEDetRequest)
			if d := differences(r, kept); (len(d) == 0) != one.same {
				t.Errorf("the same %t: %+v", one.same, d)
			}
		})
	}
}

// TestAnEqualItemIsNotTakenByOneThatIsForgiven: of two items the one that is forgiven more comes first.
func TestAnEqualItemIsNotTakenByOneThatIsForgiven(t *testing.T) {
	r, kept := whole(false), keptOf(t, whole(false))
	option := func(value string) wsfev1.Opcional { return wsfev1.Opcional{Id: "2", Valor: value} }
	wsfev1.LotOf(r).Invoice(0).Opcionales.Opcional = []wsfev1.Opcional{option("ñ"), option("n")}
	kept.Opcionales.Opcional = []wsfev1.Opcional{option("n"), option("?")}
	if d := differences(r, kept); len(d) > 0 {
		t.Errorf("%+v", d)
	}
}
