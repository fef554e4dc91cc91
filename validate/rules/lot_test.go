package rules_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/fielato/fielato/internal/validatetest"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/validate/rules"
)

func TestTheRulesOfALot(t *testing.T) {
	const cantReg = "/FeCAEReq/FeCabReq/CantReg"
	const details = "/FeCAEReq/FeDetReq/FECAEDetRequest"
	for _, c := range []struct{ name, template, changes, want string }{
		{"one more than there may be", "factura-b", "x251", "10003 " + details + " expected a lo sumo 250 got 251"},
		{"a quantity that is too small", "factura-b", "x2 #CantReg=1", "10002 " + cantReg + " expected 2 got 1"},
		{"a quantity that is too large", "factura-b", "x2 #CantReg=3", "10002 " + cantReg + " expected 2 got 3"},
		{"a quantity of 9998", "factura-b", "#CantReg=9998", "10002 " + cantReg + " expected 1 got 9998"},
		{
			"a quantity of 9999", "factura-b", "#CantReg=9999",
			"10001 " + cantReg + " got 9999\n10002 " + cantReg + " expected 1 got 9999",
		},
		{
			"a quantity of none", "factura-b", "#CantReg=0",
			"10001 " + cantReg + " got 0\n10002 " + cantReg + " expected 1 got 0",
		},
		{
			"a quantity below none", "factura-b", "#CantReg=-1",
			"10001 " + cantReg + " got -1\n10002 " + cantReg + " expected 1 got -1",
		},
		{"two credit invoices", "fce-a", "x2", "10003 " + details + " expected a lo sumo 1 got 2"},
		{"two notes of credit invoices", "fce-nota-credito-a", "x2", "10003 " + details + " expected a lo sumo 1 got 2"},
	} {
		for _, template := range []string{c.template, "caea-" + c.template} {
			t.Run(c.name+"/"+template, func(t *testing.T) {
				operation, body := validatetest.Changed(t, c.name, template, strings.Fields(c.changes))
				found := judgeBody(t, c.name, operation, body, rules.Settings{}, validatetest.Noon)
				got := strings.Join(lines(found), "\n")
				got = strings.ReplaceAll(strings.ReplaceAll(got, "FeCAEARegInfReq", "FeCAEReq"), "FECAEADet", "FECAEDet")
				if got != c.want {
					t.Errorf("\n got %s\nwant %s", got, c.want)
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

func TestTheLargestLotIsASetting(t *testing.T) {
	operation, body := validatetest.Changed(t, "lot", "factura-b", []string{"x3"})
	for limit, want := range map[int]int{2: 1, 3: 0} {
		if found := judgeBody(t, "lot", operation, body, rules.Settings{MaxInvoices: limit}, validatetest.Noon); len(found) != want {
			t.Errorf("at most %d: %v", limit, lines(found))
		}
	}
}

func TestFindingsStandInTheOrderOfTheLotAndOfTheirCodes(t *testing.T) {
	var changes []string
	for _, at := range []string{"1:", "3:"} {
		changes = append(changes, at+"ImpTotal=100", at+"ImpNeto=0.001", at+"ImpIVA=7", at+"Tributos={}",
			at+`Iva={"AlicIva":[{"Id":5,"BaseImp":1,"Importe":1},{"Id":5,"BaseImp":1,"Importe":1}]}`)
	}
	changes = append(changes, "2:ImpIVA=0", "-2:Iva", "2:ImpTotal=0", "#CantReg=9999")
	operation, body := validatetest.Changed(t, "order", "factura-b", append([]string{"x4"}, changes...))
	found := judgeBody(t, "order", operation, body, rules.Settings{}, validatetest.Noon)
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
		t.Fatalf("\n got %v\nwant %v", got, want)
	}
	const second = "/FeCAEReq/FeDetReq/FECAEDetRequest/3/Iva/AlicIva/1/Id"
	if f := found[12]; f.Pointer != second || f.Severity != validate.EXC || !strings.Contains(f.Source, "código "+f.Code) {
		t.Errorf("%+v, want the pointer %s", f, second)
	}
}

func TestAFigureThatWasLeftOutIsSaidToBe(t *testing.T) {
	for invoice, said := range map[string]bool{"ImpNeto=5 Iva=5/5/1.05": true, "ImpTotal=0 ImpNeto=5 Iva=5/5/1.05": false} {
		_, found := judge(t, "FECAESolicitar", lotJSON("FECAESolicitar", 1, 6, invoice))
		for _, f := range found {
			if f.Code == "10048" && strings.HasPrefix(f.Text, "Falta ImpTotal, ") != said {
				t.Errorf("%s: %s", invoice, f.Text)
			}
		}
		if !slices.ContainsFunc(found, func(f validate.Finding) bool { return f.Code == "10048" }) {
			t.Errorf("%s: %v", invoice, validatetest.Brief(found))
		}
	}
}

func TestNoRuleSpeaksOfARequestThatHasNone(t *testing.T) {
	const auth = `"Auth":{"Token":"t","Sign":"s","Cuit":20111111112}`
	for name, body := range map[string]string{"FEDummy": `{}`, "FECompTotXRequest": `{` + auth + `}`, "FEParamGetTiposIva": `{` + auth + `}`} {
		if _, found := judge(t, name, body); len(found) > 0 {
			t.Errorf("%s: %v", name, validatetest.Brief(found))
		}
	}
}

// The configured level of a rule counts: observed, off, or refused where the service only
// remarks.
func TestTheLevelOfARuleDecidesWhatIsMadeOfIt(t *testing.T) {
	for _, c := range []struct {
		template string
		levels   map[int32]validate.Level
		found    int
		refuses  bool
	}{
		{"factura-b", nil, 1, true},
		{"factura-b", map[int32]validate.Level{10048: validate.Observe}, 1, false},
		{"factura-b", map[int32]validate.Level{10048: validate.Off}, 0, false},
		{"caea-factura-b", nil, 1, false},
		{"caea-factura-b", map[int32]validate.Level{724: validate.Enforce}, 1, true},
	} {
		operation, body := validatetest.Changed(t, "level", c.template, []string{"ImpTotal=122"})
		found := judgeBody(t, "level", operation, body, rules.Settings{Levels: c.levels}, validatetest.Noon)
		if len(found) != c.found || validate.Refuses(found) != c.refuses {
			t.Errorf("%s, %v: %v, refuses %v", c.template, c.levels, lines(found), validate.Refuses(found))
		}
	}
}

// TestRemarksDoNotHideWhatRefuses: the invoices before one that is wrong may give rise
// to more remarks than are kept.
func TestRemarksDoNotHideWhatRefuses(t *testing.T) {
	remarks := []string{
		"-CondicionIVAReceptorId", `FchServDesde="20261101"`, `FchServHasta="20261115"`, `FchVtoPago="20261130"`,
		`CbteFchHsGen="20261101101500"`, "x250",
	}
	for _, c := range []struct {
		change string
		wrong  bool
	}{{`249:MonId="PES"`, false}, {`249:MonId="XXX"`, true}} {
		operation, body := validatetest.Changed(t, "remarks", "caea-factura-b", append(slices.Clone(remarks), c.change))
		found := judgeBody(t, "remarks", operation, body, rules.Settings{}, validatetest.Noon)
		if validate.Refuses(found) != c.wrong {
			t.Errorf("%s: refuses %v with %d findings", c.change, !c.wrong, len(found))
		}
		if len(found) > 1001 {
			t.Errorf("%s: %d findings are kept", c.change, len(found))
		}
		if said := strings.HasSuffix(found[999].Text, "Hay más errores que los que se informan"); !said {
			t.Errorf("%s: the last remark is %+v", c.change, found[999])
		}
	}
}
