package validate_test

import (
	"slices"
	"testing"

	"github.com/fielato/fielato/internal/validatetest"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
)

func TestAllMistakesOfABodyAreFound(t *testing.T) {
	const text = `{
		"Auth": {"Token": 5, "sign": "s", "Cuit": "20111111112"},
		"Extra": [1, {"deep": null}],
		"FeCAEReq": {
			"FeCabReq": {"CantReg": 1.0, "PtoVta": 1, "PtoVta": 2},
			"FeDetReq": {"FECAEDetRequest": [
				{"Concepto": "1", "DocTipo": 80, "ImpIva": 21, "Iva": {"AlicIva": [{"Id": 5}, {"Id": 2147483648, "Base/Imp": 0}]}},
				null,
				{"Iva": [], "MonId": "\ud800", "CbtesAsoc": {"CbteAsoc": [{"Nro": {}, "Cuit": 20111111112}]}}
			]}
		}
	} trailing`
	_, found := validate.Decode(validatetest.Operation(t, "FECAESolicitar"), []byte(text), validate.ARCA)
	const detail = "/FeCAEReq/FeDetReq/FECAEDetRequest"
	want := []string{
		"shape.kind /Auth/Token",
		"shape.case /Auth/sign",
		"shape.kind /Auth/Cuit",
		"shape.unknown /Extra",
		"shape.fraction /FeCAEReq/FeCabReq/CantReg",
		"shape.duplicate /FeCAEReq/FeCabReq/PtoVta",
		"shape.missing /FeCAEReq/FeCabReq/CbteTipo",
		"shape.kind " + detail + "/0/Concepto",
		"shape.case " + detail + "/0/ImpIva",
		"shape.range " + detail + "/0/Iva/AlicIva/1/Id",
		"shape.unknown " + detail + "/0/Iva/AlicIva/1/Base~1Imp",
		"shape.kind " + detail + "/1",
		"shape.kind " + detail + "/2/Iva",
		"shape.utf8 " + detail + "/2/MonId",
		"shape.kind " + detail + "/2/CbtesAsoc/CbteAsoc/0/Nro",
		"shape.kind " + detail + "/2/CbtesAsoc/CbteAsoc/0/Cuit",
		"shape.trailing ",
	}
	if got := validatetest.Brief(found); !slices.Equal(got, want) {
		t.Errorf("\n got %q\nwant %q", got, want)
	}
}

func TestWhatIsRightIsReadBesideWhatIsWrong(t *testing.T) {
	const text = `{"Auth":{"Token":"t","Sign":7,"Cuit":20111111112},"Zzz":1,"PtoVta":3,"CbteTipo":"6"}`
	req, found := validate.Decode(validatetest.Operation(t, "FECompUltimoAutorizado"), []byte(text), validate.Base)
	if len(found) != 3 {
		t.Errorf("%v", validatetest.Brief(found))
	}
	got := *req.Body.(*wsfev1.FECompUltimoAutorizadoRequest)
	want := wsfev1.FECompUltimoAutorizadoRequest{Auth: wsfev1.Auth{Token: "t", Cuit: 20111111112}, PtoVta: 3}
	if got != want {
		t.Errorf("the request is not what was right in it: PtoVta %d, CbteTipo %d", got.PtoVta, got.CbteTipo)
	}
}

// fieldsOfNoFinding are the members of an invoice that may be left out of a body
// of right shape, though the rules speak about them.
var fieldsOfNoFinding = []string{
	"Concepto", "DocTipo", "DocNro", "CbteDesde", "CbteHasta",
	"ImpTotal", "ImpTotConc", "ImpNeto", "ImpOpEx", "ImpTrib", "ImpIVA",
}

func TestAScalarLeftOutOfAnInvoiceIsRememberedAndNoFinding(t *testing.T) {
	const pointer = "/FeCAEReq/FeDetReq/FECAEDetRequest/1"
	const head = `{"Auth":{"Token":"t","Sign":"s","Cuit":1},"FeCAEReq":{"FeCabReq":{"CantReg":2,"PtoVta":1,"CbteTipo":6},` +
		`"FeDetReq":{"FECAEDetRequest":[{"Concepto":0,"DocTipo":0,"DocNro":0,"CbteDesde":0,"CbteHasta":0,` +
		`"ImpTotal":0,"ImpTotConc":0,"ImpNeto":0,"ImpOpEx":0,"ImpTrib":0,"ImpIVA":0},`
	for name, second := range map[string]string{
		"left out": `{}`, "null": `{"Concepto":null,"DocTipo":null,"ImpTotal":null,"ImpIVA":null}`,
	} {
		req, found := validate.Decode(validatetest.Operation(t, "FECAESolicitar"), []byte(head+second+`]}}}`), validate.Base)
		if len(found) > 0 {
			t.Errorf("%s: %v", name, validatetest.Brief(found))
		}
		for _, field := range fieldsOfNoFinding {
			if !req.Absent(pointer + "/" + field) {
				t.Errorf("%s: %s does not count as left out", name, field)
			}
			if req.Absent("/FeCAEReq/FeDetReq/FECAEDetRequest/0/" + field) {
				t.Errorf("%s: %s counts as left out of an invoice that has it", name, field)
			}
		}
		if req.Absent(pointer + "/MonId") {
			t.Errorf("%s: a member that nobody expects counts as left out", name)
		}
	}
}

func TestAnEmptyListIsSentAndANullOneIsNot(t *testing.T) {
	const head = `{"Auth":{"Token":"t","Sign":"s","Cuit":1},"FeCAEReq":{"FeCabReq":{"CantReg":1,"PtoVta":1,"CbteTipo":6},` +
		`"FeDetReq":{"FECAEDetRequest":[{`
	for text, want := range map[string]struct{ wrapper, list bool }{
		``:                       {false, false},
		`"Iva":null`:             {false, false},
		`"Iva":{}`:               {true, false},
		`"Iva":{"AlicIva":null}`: {true, false},
		`"Iva":{"AlicIva":[]}`:   {true, true},
	} {
		req, found := validate.Decode(validatetest.Operation(t, "FECAESolicitar"), []byte(head+text+`}]}}}`), validate.Base)
		iva := wsfev1.LotOf(req.Body).Invoice(0).Iva
		if len(found) > 0 || (iva != nil) != want.wrapper || (iva != nil && iva.AlicIva != nil) != want.list {
			t.Errorf("%s: Iva %+v, %v", text, iva, validatetest.Brief(found))
		}
	}
}
