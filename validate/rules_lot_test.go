package validate_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/fielato/fielato/validate"
)

// quiet is an invoice in which nothing is wrong, of any class.
const quiet = "ImpTotal=100 ImpOpEx=0 ImpNeto=0 ImpTotConc=0 ImpIVA=0 ImpTrib=100 Tributos=99/0/0/100"

func lotOf(n int) []string { return slices.Repeat([]string{quiet}, n) }

func TestTheRulesOfALot(t *testing.T) {
	const cantReg = "/FeCAEReq/FeCabReq/CantReg"
	for _, c := range []struct {
		name              string
		cantReg, cbteTipo int
		invoices          int
		want              []string
	}{
		{"one invoice", 1, 6, 1, nil},
		{"as many as there may be", 250, 6, 250, nil},
		{
			"one more than there may be", 251, 6, 251,
			[]string{"10003 /FeCAEReq/FeDetReq/FECAEDetRequest expected a lo sumo 250 got 251"},
		},
		{"a quantity that is too small", 1, 6, 2, []string{"10002 " + cantReg + " expected 2 got 1"}},
		{"a quantity that is too large", 3, 6, 2, []string{"10002 " + cantReg + " expected 2 got 3"}},
		{"a quantity of 9998", 9998, 6, 1, []string{"10002 " + cantReg + " expected 1 got 9998"}},
		{
			"a quantity of 9999", 9999, 6, 1,
			[]string{"10001 " + cantReg + " got 9999", "10002 " + cantReg + " expected 1 got 9999"},
		},
		{
			"a quantity of none", 0, 6, 1,
			[]string{"10001 " + cantReg + " got 0", "10002 " + cantReg + " expected 1 got 0"},
		},
		{
			"a quantity below none", -1, 6, 1,
			[]string{"10001 " + cantReg + " got -1", "10002 " + cantReg + " expected 1 got -1"},
		},
		{"no invoice, and none said", 0, 6, 0, []string{"10001 " + cantReg + " got 0"}},
		{"one credit invoice", 1, 201, 1, nil},
		{
			"two credit invoices", 2, 201, 2,
			[]string{"10003 /FeCAEReq/FeDetReq/FECAEDetRequest expected a lo sumo 1 got 2"},
		},
		{
			"two credit notes of credit invoices", 2, 213, 2,
			[]string{"10003 /FeCAEReq/FeDetReq/FECAEDetRequest expected a lo sumo 1 got 2"},
		},
	} {
		for _, name := range []string{"FECAESolicitar", "FECAEARegInformativo"} {
			t.Run(c.name+"/"+name, func(t *testing.T) {
				_, found := judge(t, name, lotJSON(name, c.cantReg, c.cbteTipo, lotOf(c.invoices)...))
				got := strings.Join(lines(found), "\n")
				got = strings.ReplaceAll(strings.ReplaceAll(got, "FeCAEARegInfReq", "FeCAEReq"), "FECAEADet", "FECAEDet")
				if want := strings.Join(c.want, "\n"); got != want {
					t.Errorf("\n got %s\nwant %s", got, want)
				}
				for _, f := range found {
					if f.Invoice != validate.Header || f.Severity != validate.ERR {
						t.Errorf("%s is about invoice %d, severity %s", f.Code, f.Invoice, f.Severity)
					}
				}
			})
		}
	}
}

func TestFindingsStandInTheOrderOfTheLotAndOfTheirCodes(t *testing.T) {
	wrong := "ImpTotal=100 ImpNeto=0.001 ImpIVA=7 Iva=5/1/1,5/1/1 Tributos="
	_, found := judge(t, "FECAESolicitar", lotJSON("FECAESolicitar", 9999, 6, quiet, wrong, "ImpNeto=5", wrong))
	var got []string
	for _, f := range found {
		got = append(got, strconv.Itoa(f.Invoice)+" "+f.Code)
	}
	want := []string{
		"-1 10001", "-1 10002",
		"1 10022", "1 10023", "1 10024", "1 10048", "1 10051", "1 10051", "1 10056", "1 10061",
		"2 10048", "2 10070",
		"3 10022", "3 10023", "3 10024", "3 10048", "3 10051", "3 10051", "3 10056", "3 10061",
	}
	if !slices.Equal(got, want) {
		t.Errorf("\n got %v\nwant %v", got, want)
	}
	const second = "/FeCAEReq/FeDetReq/FECAEDetRequest/3/Iva/AlicIva/1/Id"
	if f := found[12]; f.Pointer != second || f.Severity != validate.EXC || f.Source != "domain.md §3.14" {
		t.Errorf("%+v, want the pointer %s", f, second)
	}
}

func TestAFigureThatWasLeftOutIsSaidToBe(t *testing.T) {
	for invoice, said := range map[string]bool{"ImpNeto=5 Iva=5/5/1.05": true, "ImpTotal=0 ImpNeto=5 Iva=5/5/1.05": false} {
		_, found := judge(t, "FECAESolicitar", lotJSON("FECAESolicitar", 1, 6, invoice))
		for _, f := range found {
			if f.Code == "10048" && strings.Contains(f.Text, "no fue informado") != said {
				t.Errorf("%s: %s", invoice, f.Text)
			}
		}
		if !slices.ContainsFunc(found, func(f validate.Finding) bool { return f.Code == "10048" }) {
			t.Errorf("%s: %v", invoice, brief(found))
		}
	}
}

func TestNoRuleSpeaksOfARequestThatIsNoLot(t *testing.T) {
	for _, name := range []string{"FEDummy", "FECompConsultar", "FECAEASolicitar", "FEParamGetTiposIva"} {
		op := operation(t, name)
		if _, found := judge(t, name, sample(op.Request, true).text()); len(found) > 0 {
			t.Errorf("%s: %v", name, brief(found))
		}
	}
}

func TestRejectsAsksForTheSeverity(t *testing.T) {
	for severity, want := range map[validate.Severity]bool{
		validate.Shape: true, validate.ERR: true, validate.SEQ: true, validate.EXC: true, validate.OBS: false,
	} {
		found := []validate.Finding{{Severity: validate.OBS}, {Severity: severity}}
		if got := validate.Rejects(found); got != want {
			t.Errorf("%s rejects: %v, want %v", severity, got, want)
		}
	}
	if validate.Rejects(nil) {
		t.Error("no finding rejects")
	}
}
