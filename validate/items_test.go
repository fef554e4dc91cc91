package validate_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/fielato/fielato/internal/validatetest"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
)

// TestAListHasAnEnd: an item too many is one finding, whatever comes after it.
func TestAListHasAnEnd(t *testing.T) {
	const lot, all = "/FeCAEReq/FeDetReq/FECAEDetRequest", "hasta 100000 en todas las listas juntas"
	aliquots := func(n int) string { return `{` + validatetest.InnerList("Iva/AlicIva", n, `{}`) + `}` }
	optionals := func(n int) string { return `{` + validatetest.InnerList("Opcionales/Opcional", n, `{}`) + `}` }
	for name, c := range map[string]struct {
		invoices, pointer, expected string
	}{
		"the longest lot":        {validatetest.Items(10_000, `{}`), "", ""},
		"a longer lot":           {validatetest.Items(10_001, `{}`), lot, "hasta 10000"},
		"what is wrong after it": {validatetest.Items(10_001, `{}`) + `,{"zz":1},7,[[]]`, lot, "hasta 10000"},
		"the longest list":       {aliquots(1000), "", ""},
		"a longer list":          {`{},` + aliquots(1001) + `,{}`, lot + "/1/Iva/AlicIva", "hasta 1000"},
		"policies":               {optionals(10_000), "", ""}, // of which the service takes 6000 (10280)
		"more policies":          {`{},` + optionals(10_001) + `,{}`, lot + "/1/Opcionales/Opcional", "hasta 10000"},
		"the longest of all":     {validatetest.Items(100, aliquots(999)), "", ""},
		"more of all":            {validatetest.Items(99, aliquots(1000)) + `,{` + validatetest.InnerList("Tributos/Tributo", 901, `{}`) + `}`, lot + "/99/Tributos/Tributo", all},
		"more of all, invoices":  {validatetest.Items(99, aliquots(1000)) + `,` + aliquots(900) + `,{}`, lot, all},
	} {
		t.Run(name, func(t *testing.T) {
			_, found := validate.Decode(validatetest.Operation(t, "FECAESolicitar"), validatetest.LotOf(c.invoices), validate.ARCA)
			if c.pointer == "" {
				if len(found) > 0 {
					t.Errorf("%v", validatetest.Brief(found))
				}
				return
			}
			wantOne(t, found, "shape.items", c.pointer)
			if found[0].Expected != c.expected {
				t.Errorf("expected %s, want %s", found[0].Expected, c.expected)
			}
		})
	}
}

// TestWhatFollowsAListThatIsTooLongIsRead: the other members of the invoice and of
// the lot and, behind all of it, the credentials, which must not be kept.
func TestWhatFollowsAListThatIsTooLongIsRead(t *testing.T) {
	const end = `]}},"Auth":{"Token":"t","Sign":"s","Cuit":20111111112}}`
	for name, c := range map[string]struct {
		invoices string
		found    []string
	}{
		"a list": {`{` + validatetest.InnerList("Iva/AlicIva", 1001, `{}`) + `,"Concepto":2,"zz":1},{}`, []string{
			"shape.items /FeCAEReq/FeDetReq/FECAEDetRequest/0/Iva/AlicIva", "shape.unknown /FeCAEReq/FeDetReq/FECAEDetRequest/0/zz",
		}},
		"a lot":    {`{"Concepto":2},` + validatetest.Items(10_001, `{}`), []string{"shape.items /FeCAEReq/FeDetReq/FECAEDetRequest"}},
		"mistakes": {`{"Concepto":2},` + validatetest.Items(5000, `{"zz":1}`), nil},
	} {
		text := `{"FeCAEReq":{"FeDetReq":{"FECAEDetRequest":[` + c.invoices + strings.Replace(end, `]}}`, `]},"FeCabReq":{"CantReg":3,"PtoVta":1,"CbteTipo":6}}`, 1)
		req, found := validate.Decode(validatetest.Operation(t, "FECAESolicitar"), []byte(text), validate.ARCA)
		body := req.Body.(*wsfev1.FECAESolicitarRequest)
		if body.Auth.Token.Reveal() != "t" || body.FeCAEReq.FeCabReq.CantReg != 3 || body.FeCAEReq.FeDetReq.FECAEDetRequest[0].Concepto != 2 {
			t.Errorf("%s: read %+v", name, body.FeCAEReq.FeCabReq)
		}
		if c.found != nil && !slices.Equal(validatetest.Brief(found), c.found) {
			t.Errorf("%s: %v", name, validatetest.Brief(found))
		}
		if n := len(body.FeCAEReq.FeDetReq.FECAEDetRequest); n > 10_000 || c.found == nil && n > 1002 {
			t.Errorf("%s: %d invoices are kept", name, n)
		}
	}
}

// TestALongListOfPointsOfSaleIsNoDeviation: 1 to 99998 are numbers of points of sale.
func TestALongListOfPointsOfSaleIsNoDeviation(t *testing.T) {
	op := validatetest.Operation(t, "FEParamGetPtosVenta")
	for n, want := range map[int][]string{99_998: {}, 100_001: {"answer.items /ResultGet/PtoVenta"}} {
		found := validate.DecodeAnswer(op.Answer, []byte(`{"ResultGet":{"PtoVenta":[`+validatetest.Items(n, `{}`)+`]}}`), op.NewAnswer())
		if !slices.Equal(validatetest.Brief(found), want) {
			t.Errorf("%d: %v, want %v", n, validatetest.Brief(found), want)
		}
	}
}
