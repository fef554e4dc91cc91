package rules_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/fielato/fielato/validate/rules"
)

func TestRule10018IvaMatchesImpIVA(t *testing.T) {
	checkVerdicts(t, "10018", []verdict{
		{"tax with a list", 6, "ImpIVA=21 Iva=5/100/21", nil},
		{"tax without a list", 6, "ImpIVA=0.01", []string{"10018 Iva"}},
		{"no tax and no list", 6, "ImpIVA=0", nil},
		{"no tax at 0 %", 6, "ImpIVA=0 Iva=3/100/0", nil},
		{
			"no tax at another rate", 6, "ImpIVA=0 Iva=3/100/0,5/100/0,2/0/0",
			[]string{"10018 Iva/AlicIva/1/Id expected 3 got 5", "10018 Iva/AlicIva/2/Id expected 3 got 2"},
		},
		{"no tax, written 0.00", 6, "ImpIVA=0.00 Iva=4/100/0", []string{"10018 Iva/AlicIva/0/Id expected 3 got 4"}},
		{"a list of nothing with tax", 6, "ImpIVA=21 Iva=", []string{"10018 Iva/AlicIva"}},
		{"a list of nothing without tax", 6, "Iva=", []string{"10018 Iva/AlicIva"}},
		{"an object without a list", 6, "Iva={}", []string{"10018 Iva/AlicIva"}},
		{"a note may leave the rate out", 3, "ImpIVA=0 Iva=/100/0", nil},
		{"a credit invoice's note may not", 203, "ImpIVA=0 Iva=/100/0", []string{"10018 Iva/AlicIva/0/Id expected 3 got 0"}},
	})
	everyType(t, "10018", "ImpIVA=21", classC...)
	everyType(t, "10018", "ImpIVA=0 Iva=5/100/0", classC...)
	everyType(t, "10018", "Iva=", classC...)
}

func TestRule10022RatesAreNotRepeated(t *testing.T) {
	checkVerdicts(t, "10022", []verdict{
		{"each rate once", 6, "Iva=3/1/0,4/1/0,5/1/0,6/1/0,8/1/0,9/1/0", nil},
		{"one rate twice", 6, "Iva=5/1/0,4/1/0,5/2/0", []string{"10022 Iva/AlicIva/2/Id got 5"}},
		{
			"one rate three times", 6, "Iva=5/1/0,5/2/0,5/3/0",
			[]string{"10022 Iva/AlicIva/1/Id got 5", "10022 Iva/AlicIva/2/Id got 5"},
		},
		{"numbers that are no rate", 6, "Iva=-1/1/0,-1/1/0,32/1/0,32/1/0,2147483647/1/0", nil},
		{"a note may leave the rate out", 8, "Iva=/1/0,/1/0", nil},
	})
	everyType(t, "10022", "Iva=5/1/0,5/1/0", classC...)
}

func TestRule10024TributosMatchImpTrib(t *testing.T) {
	checkVerdicts(t, "10024", []verdict{
		{"both", 6, "ImpTrib=5 Tributos=99/0/0/5", nil},
		{"neither", 6, "ImpTrib=0", nil},
		{"neither, and no amount", 6, "", nil},
		{"an amount without a list", 6, "ImpTrib=0.01", []string{"10024 Tributos"}},
		{"a list without an amount", 6, "ImpTrib=0 Tributos=99/0/0/0", []string{"10024 Tributos"}},
		{"a list of nothing is a list", 6, "ImpTrib=0.00 Tributos=", []string{"10024 Tributos"}},
		{"an object without a list is one too", 6, "Tributos={}", []string{"10024 Tributos"}},
		{"a list of nothing with an amount", 6, "ImpTrib=5 Tributos=", []string{"10024 Tributos"}},
	})
	everyType(t, "10024", "ImpTrib=5")
}

func TestRule10070NetNeedsIva(t *testing.T) {
	checkVerdicts(t, "10070", []verdict{
		{"net with a list", 6, "ImpNeto=100 Iva=5/100/21", nil},
		{"net without a list", 6, "ImpNeto=0.01", []string{"10070 Iva"}},
		{"no net", 6, "ImpNeto=0.00 ImpOpEx=500", nil},
	})
	everyType(t, "10070", "ImpNeto=100", classC...)
}

func TestRule10071ClassCHasNoIva(t *testing.T) {
	checkVerdicts(t, "10071", []verdict{
		{"none", 11, "ImpNeto=100", nil},
		{"a list", 11, "ImpNeto=100 Iva=5/100/21", []string{"10071 Iva"}},
		{"a list of nothing", 11, "ImpNeto=100 Iva=", []string{"10071 Iva"}},
		{"an object without a list", 11, "ImpNeto=100 Iva={}", []string{"10071 Iva"}},
		{"null", 11, "ImpNeto=100 Iva=null", nil},
	})
	everyOther := []int{
		1, 2, 3, 4, 5, 34, 39, 60, 63, 6, 7, 8, 9, 10, 35, 40, 61, 64, 49, 51, 52, 53, 54, 201, 202, 203, 206, 207, 208,
	}
	everyType(t, "10071", "ImpNeto=100 Iva=3/100/0", everyOther...)
}

func TestRule10056AmountsHaveTheirDigits(t *testing.T) {
	const money = " expected a lo sumo 13 enteros y 2 decimales got "
	checkVerdicts(t, "10056", []verdict{
		{"two decimals", 6, "ImpTotal=9999999999999.99", nil},
		{"zeros at the end do not count", 6, "ImpTotal=121.000 MonCotiz=1.00000000", nil},
		{"three decimals", 6, "ImpTotal=0.001", []string{"10056 ImpTotal" + money + "0.001"}},
		{"fourteen digits", 6, "ImpTotal=10000000000000", []string{"10056 ImpTotal" + money + "10000000000000"}},
		{"more than is computed exactly", 6, "ImpTotal=1e400", []string{"10056 ImpTotal" + money + "1e400"}},
		{
			"every amount, in the order read", 6,
			"ImpIVA=0.001 ImpTrib=0.002 ImpOpEx=0.003 ImpNeto=0.004 ImpTotConc=0.005 ImpTotal=0.006",
			[]string{
				"10056 ImpIVA" + money + "0.001", "10056 ImpTrib" + money + "0.002", "10056 ImpOpEx" + money + "0.003",
				"10056 ImpNeto" + money + "0.004", "10056 ImpTotConc" + money + "0.005", "10056 ImpTotal" + money + "0.006",
			},
		},
		{"a rate of exchange", 6, "MonCotiz=9999.999999", nil},
		{
			"a rate of exchange with seven decimals", 6, "MonCotiz=1.0000001",
			[]string{"10056 MonCotiz expected a lo sumo 4 enteros y 6 decimales got 1.0000001"},
		},
		{
			"a rate of exchange of five digits", 6, "MonCotiz=10000",
			[]string{"10056 MonCotiz expected a lo sumo 4 enteros y 6 decimales got 10000"},
		},
		{
			"in the lists, but for the shares, which have a rule of their own", 6,
			"Iva=5/1/1,5/1.001/1.2474 Tributos=99/0.125/1000/0.125 Compradores=80/1/100.5",
			[]string{
				"10056 Iva/AlicIva/1/BaseImp" + money + "1.001",
				"10056 Iva/AlicIva/1/Importe" + money + "1.2474",
				"10056 Tributos/Tributo/0/BaseImp" + money + "0.125",
				"10056 Tributos/Tributo/0/Alic expected a lo sumo 3 enteros y 2 decimales got 1000",
				"10056 Tributos/Tributo/0/Importe" + money + "0.125",
			},
		},
	})
	everyType(t, "10056", "ImpTotal=0.001")
}

func TestEachOperationAnswersWithItsOwnCodes(t *testing.T) {
	wrong := "ImpTotal=100 ImpNeto=0.001 ImpIVA=7 ImpTrib=5 CAEA=\"46477000000017\" Iva=5/1/1,5/1/1 Tributos="
	for name, line := range map[string]string{
		"FECAESolicitar":       "10048 ImpTotal expected 12.001 got 100.00 difference 87.999 tolerance 0.01",
		"FECAEARegInformativo": "724 ImpTotal expected 12.001 got 100.00 difference 87.999 tolerance 0.01",
	} {
		body := lotJSON(name, 1, 6, wrong)
		if name == "FECAESolicitar" {
			body = strings.Replace(body, `"CAEA":"46477000000017",`, "", 1)
		}
		_, found := judge(t, name, body)
		if !slices.Contains(lines(found), line) {
			t.Errorf("%s: the invoice is not wrong after all: %v", name, lines(found))
		}
		for _, f := range found {
			if rule, _ := rules.RuleByCode(f.Number()); !slices.Contains(rule.Operations, name) {
				t.Errorf("%s answers with %s, which is a code of %v", name, f.Code, rule.Operations)
			}
		}
	}
}

func TestAFigureIsRepeatedToALengthThatCanBeShown(t *testing.T) {
	long := "1." + strings.Repeat("0", 1<<16)
	for _, invoice := range []string{"ImpTotal=" + long + "1", "ImpTotal=5 ImpNeto=" + long, "ImpTotal=" + long + " ImpNeto=5"} {
		_, found := judge(t, "FECAESolicitar", lotJSON("FECAESolicitar", 1, 6, invoice))
		if len(found) == 0 {
			t.Error("nothing is found")
		}
		for _, f := range found {
			if len(f.Message()) > 600 {
				t.Errorf("%s has a message of %d bytes", f.Code, len(f.Message()))
			}
		}
	}
}
