package rules_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/fielato/fielato/internal/validatetest"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/validate/rules"
)

// invoiceJSON writes an invoice that is given in short: members and figures,
//
//	ImpTotal=121.00 ImpNeto=100.00 ImpIVA=21.00 Iva=5/100.00/21.00,4/0/0 Tributos=99/100/5.2/5.20
//
// where Iva lists Id/BaseImp/Importe and Tributos Id/BaseImp/Alic/Importe. "Iva="
// is an empty list, "Iva={}" an object without a list. Members that are not given are
// left out. Figures keep their digits.
func invoiceJSON(short string) string {
	lists := map[string]struct {
		item  string
		names []string
	}{
		"Iva":         {"AlicIva", []string{"Id", "BaseImp", "Importe"}},
		"Tributos":    {"Tributo", []string{"Id", "BaseImp", "Alic", "Importe"}},
		"Compradores": {"Comprador", []string{"DocTipo", "DocNro", "Porcentaje"}},
	}
	var members []string
	for field := range strings.FieldsSeq(short) {
		name, value, _ := strings.Cut(field, "=")
		list, isList := lists[name]
		if isList && value != "{}" && value != "null" {
			var items []string
			for item := range strings.SplitSeq(value, ",") {
				var figures []string
				for i, figure := range strings.Split(item, "/") {
					if figure != "" {
						figures = append(figures, fmt.Sprintf("%q:%s", list.names[i], figure))
					}
				}
				if len(figures) > 0 {
					items = append(items, "{"+strings.Join(figures, ",")+"}")
				}
			}
			value = fmt.Sprintf("{%q:[%s]}", list.item, strings.Join(items, ","))
		}
		members = append(members, fmt.Sprintf("%q:%s", name, value))
	}
	return "{" + strings.Join(members, ",") + "}"
}

// lotJSON writes a FECAESolicitar, or a FECAEARegInformativo, of invoices in short.
func lotJSON(operation string, cantReg, cbteTipo int, invoices ...string) string {
	lot, list := "FeCAEReq", "FECAEDetRequest"
	if operation == "FECAEARegInformativo" {
		lot, list = "FeCAEARegInfReq", "FECAEADetRequest"
	}
	items := make([]string, len(invoices))
	for i, short := range invoices {
		items[i] = invoiceJSON(short)
	}
	return fmt.Sprintf(`{"Auth":{"Token":"t","Sign":"s","Cuit":20111111112},%q:{"FeCabReq":{"CantReg":%d,"PtoVta":1,"CbteTipo":%d},`+
		`"FeDetReq":{%q:[%s]}}}`, lot, cantReg, cbteTipo, list, strings.Join(items, ","))
}

// judge reads a body that must be of right shape and returns the findings of the rules.
func judge(t testing.TB, name, text string) (*validate.Request, []validate.Finding) {
	t.Helper()
	req, found := validate.Decode(validatetest.Operation(t, name), []byte(text), validate.ARCA)
	if len(found) > 0 {
		t.Fatalf("%v in %s", validatetest.Brief(found), text)
	}
	return req, newRules(t).Judge(req, validatetest.Noon)
}

// newRules returns the rules as they are without settings.
func newRules(t testing.TB) *rules.Rules {
	t.Helper()
	// Large invoices are drawn too; whether one of them should be an FCE has tests of its own.
	return rulesUnder(t, rules.Settings{Levels: map[int32]validate.Level{10192: validate.Off, 1485: validate.Off}})
}

// shared are the rules that tests have made, by their settings. What holds on a day is
// worked out once for all tests of that day.
var shared sync.Map

// anywhere stands for an environment that is not known.
const anywhere = rules.Environment("anywhere")

func rulesUnder(t testing.TB, settings rules.Settings) *rules.Rules {
	t.Helper()
	switch settings.Environment {
	case "":
		settings.Environment = rules.Production // the other figures have tests of their own
	case anywhere:
		settings.Environment = rules.AnyEnvironment
	}
	key := fmt.Sprintf("%+v", settings)
	if made, ok := shared.Load(key); ok {
		return made.(*rules.Rules)
	}
	made, err := rules.NewRules(settings)
	if err != nil {
		t.Fatal(err)
	}
	shared.Store(key, made)
	return made
}

// lines writes findings as the tests expect them: the code, the member within the
// invoice (or the whole pointer of the header's), and the figures that there are.
func lines(found []validate.Finding) []string {
	var all []string
	for _, f := range found {
		pointer := f.Pointer
		if f.Invoice != validate.Header {
			_, within, _ := strings.Cut(pointer, "DetRequest/")
			_, pointer, _ = strings.Cut(within, "/")
		}
		line := f.Code + " " + pointer
		for _, figure := range []struct{ word, value string }{
			{"expected", f.Expected}, {"got", f.Got}, {"difference", f.Difference}, {"tolerance", f.Tolerance},
		} {
			if figure.value != "" {
				line += " " + figure.word + " " + figure.value
			}
		}
		all = append(all, line)
	}
	return all
}

// verdict is one invoice of a type and the expected findings in it.
type verdict struct {
	name     string
	cbteTipo int
	invoice  string
	want     []string
}

// checkVerdicts holds each verdict against the findings of the rules with these codes;
// without codes, against the findings of all rules.
func checkVerdicts(t *testing.T, code string, verdicts []verdict) {
	t.Helper()
	for _, v := range verdicts {
		t.Run(v.name, func(t *testing.T) {
			_, found := judge(t, "FECAESolicitar", lotJSON("FECAESolicitar", 1, v.cbteTipo, v.invoice))
			var got []string
			for _, line := range lines(found) {
				if code == "" || strings.HasPrefix(line, code+" ") {
					got = append(got, line)
				}
			}
			if g, w := strings.Join(got, "\n"), strings.Join(v.want, "\n"); g != w {
				t.Errorf("type %d, %s\n got %s\nwant %s", v.cbteTipo, v.invoice, g, w)
			}
		})
	}
}

// everyType checks one invoice, which is wrong in one way, under every type of the
// service: the rule speaks but for those that are exempt.
func everyType(t *testing.T, code, invoice string, exempt ...int) {
	t.Helper()
	isExempt := map[int]bool{}
	for _, cbteTipo := range exempt {
		isExempt[cbteTipo] = true
	}
	for _, cbteTipo := range []int{
		1, 2, 3, 4, 5, 34, 39, 60, 63, 6, 7, 8, 9, 10, 35, 40, 61, 64, 11, 12, 13, 15, 49, 51, 52, 53, 54,
		201, 202, 203, 206, 207, 208, 211, 212, 213,
	} {
		_, found := judge(t, "FECAESolicitar", lotJSON("FECAESolicitar", 1, cbteTipo, invoice))
		speaks := false
		for _, f := range found {
			speaks = speaks || f.Code == code
		}
		if speaks == isExempt[cbteTipo] {
			t.Errorf("type %d: %s is found: %v", cbteTipo, code, speaks)
		}
	}
}

var (
	classC    = []int{11, 12, 13, 15, 211, 212, 213}
	freeNotes = []int{2, 3, 7, 8, 52, 53}
)
