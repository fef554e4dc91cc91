package validate_test

import (
	"reflect"
	"slices"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/fielato/fielato/internal/validatetest"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
	"github.com/fielato/fielato/wsfev1/soap"
)

// asSOAP sends a typed request as SOAP and reads it.
func asSOAP(t testing.TB, op *wsfev1.Operation, body any) (*validate.Request, []validate.Finding) {
	t.Helper()
	wire, err := soap.AppendRequest(nil, soap.V11, op, body)
	if err != nil {
		t.Fatal(err)
	}
	return decodeSOAP(t, op, wire)
}

func decodeSOAP(t testing.TB, op *wsfev1.Operation, wire []byte) (*validate.Request, []validate.Finding) {
	t.Helper()
	message, err := soap.Open(wire, "utf-8")
	if err != nil {
		t.Fatalf("%v in %s", err, wire)
	}
	return validate.DecodeSOAP(message, op, validate.ARCA)
}

// TestTheRulesSeeNoDifferenceBetweenTheForms judges every valid request, and each with something
// left out or wrong, in both forms.
func TestTheRulesSeeNoDifferenceBetweenTheForms(t *testing.T) {
	rules := newRules(t)
	entries, err := validatetest.Valid.ReadDir("valid")
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		name := entry.Name()[:len(entry.Name())-len(".json")]
		for _, changes := range [][]string{nil, {"-ImpTrib"}, {"-MonId", "-DocNro"}, {"ImpTotal=1.005"}, {"ImpIVA=1e2"}, {"-Iva"}, {"Iva={}"}, {"CbteFch=\"\""}} {
			if changes != nil && name != "factura-b" && name != "caea-factura-a" && name != "tributos-a" {
				continue
			}
			operation, body := validatetest.Changed(t, name, name, changes)
			op := validatetest.Operation(t, operation)
			fromJSON, found := validate.Decode(op, body, validate.ARCA)
			if len(found) > 0 {
				t.Fatalf("%s %v: %v", name, changes, validatetest.Brief(found))
			}
			fromSOAP, found := asSOAP(t, op, fromJSON.Body)
			if len(found) > 0 {
				t.Errorf("%s %v: %v", name, changes, validatetest.Brief(found))
				continue
			}
			if changes == nil && !reflect.DeepEqual(fromJSON.Body, fromSOAP.Body) || !slices.Equal(fromJSON.Overlong, fromSOAP.Overlong) {
				t.Errorf("%s %v reads as\n%+v\nwant\n%+v", name, changes, fromSOAP.Body, fromJSON.Body)
			}
			want, got := rules.Judge(fromJSON, validatetest.Noon), rules.Judge(fromSOAP, validatetest.Noon)
			if !slices.Equal(validatetest.Brief(got), validatetest.Brief(want)) {
				t.Errorf("%s %v: %v, want %v", name, changes, validatetest.Brief(got), validatetest.Brief(want))
			}
		}
	}
}

// TestADefectIsTheSameFindingInBothForms compares codes and pointers.
func TestADefectIsTheSameFindingInBothForms(t *testing.T) {
	op := validatetest.Operation(t, "FECAESolicitar")
	const auth = `"Auth":{"Token":"T","Sign":"S","Cuit":20267565393}`
	const authXML = `<Auth><Token>T</Token><Sign>S</Sign><Cuit>20267565393</Cuit></Auth>`
	lot := func(invoice string) string {
		return `{` + auth + `,"FeCAEReq":{"FeCabReq":{"CantReg":1,"PtoVta":1,"CbteTipo":6},"FeDetReq":{"FECAEDetRequest":[{` + invoice + `}]}}}`
	}
	lotXML := func(invoice string) string {
		return authXML + `<FeCAEReq><FeCabReq><CantReg>1</CantReg><PtoVta>1</PtoVta><CbteTipo>6</CbteTipo></FeCabReq><FeDetReq><FECAEDetRequest>` +
			invoice + `</FECAEDetRequest></FeDetReq></FeCAEReq>`
	}
	for _, c := range []struct{ json, xml string }{
		{lot(`"DocNro":"x"`), lotXML(`<DocNro>x</DocNro>`)},
		{lot(`"DocNro":1.5`), lotXML(`<DocNro>1.5</DocNro>`)},
		{lot(`"DocTipo":20267565393`), lotXML(`<DocTipo>20267565393</DocTipo>`)},
		{lot(`"DocNro":1,"DocNro":2`), lotXML(`<DocNro>1</DocNro><DocNro>2</DocNro>`)},
		{lot(`"ImpTotal":"1,5"`), lotXML(`<ImpTotal>1,5</ImpTotal>`)},
		{lot(`"Iva":{"AlicIva":[{"Id":5},{"Id":{}}]}`), lotXML(`<Iva><AlicIva><Id>5</Id></AlicIva><AlicIva><Id><x/></Id></AlicIva></Iva>`)},
		{lot(`"Iva":{"AlicIva":[{},null]}`), lotXML(`<Iva><AlicIva/><AlicIva xmlns:i="http://www.w3.org/2001/XMLSchema-instance" i:nil="true"/></Iva>`)},
		{lot(`"MonId":{}`), lotXML(`<MonId><x/></MonId>`)},
		{`{` + auth + `}`, authXML},
		{`{` + auth + `,"FeCAEReq":{}}`, authXML + `<FeCAEReq/>`},
		{lot(``) + `x`, lotXML(``) + `</FECAESolicitar><x/><FECAESolicitar xmlns="` + soap.Namespace + `">`},
	} {
		_, want := validate.Decode(op, []byte(c.json), validate.ARCA)
		_, got := decodeSOAP(t, op, []byte(`<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body><FECAESolicitar xmlns="`+soap.Namespace+`">`+c.xml+`</FECAESolicitar></s:Body></s:Envelope>`))
		if len(want) == 0 || !slices.Equal(validatetest.Brief(got), validatetest.Brief(want)) {
			t.Errorf("%s: %v, want %v", c.xml, validatetest.Brief(got), validatetest.Brief(want))
		}
		for _, f := range got {
			if f.Severity != validate.Shape || f.Path == "" || f.Source == "" || f.Text == "" || f.Invoice != validate.Header || !slices.Contains(validate.ShapeCodes(), f.Code) || !jsontext.Pointer(f.Pointer).IsValid() {
				t.Errorf("%+v", f)
			}
		}
	}
}

// TestWhatIsLeftOutInSOAPWasLeftOut holds Absent against the pointers of both forms.
func TestWhatIsLeftOutInSOAPWasLeftOut(t *testing.T) {
	operation, body := validatetest.Changed(t, "tributos-a", "tributos-a", []string{"-ImpTotConc", "-Tributos/Tributo/0/BaseImp", "x3", "-1:ImpOpEx"})
	op := validatetest.Operation(t, operation)
	fromJSON, _ := validate.Decode(op, body, validate.ARCA)
	fromSOAP, found := asSOAP(t, op, fromJSON.Body)
	if len(found) > 0 {
		t.Fatal(validatetest.Brief(found))
	}
	absent := 0
	for _, invoice := range []string{"0", "1", "2", "3"} {
		for _, member := range []string{"ImpTotConc", "ImpOpEx", "ImpNeto", "Tributos/Tributo/0/BaseImp", "Tributos/Tributo/0/Importe", "Iva/AlicIva/0/Id"} {
			pointer := "/FeCAEReq/FeDetReq/FECAEDetRequest/" + invoice + "/" + member
			if fromJSON.Absent(pointer) {
				absent++
			}
			if got, want := fromSOAP.Absent(pointer), fromJSON.Absent(pointer); got != want {
				t.Errorf("%s: %v, want %v", pointer, got, want)
			}
		}
	}
	if absent != 7 {
		t.Errorf("%d members were left out", absent)
	}
}

func TestFindingsOfAnswersRejectNothing(t *testing.T) {
	found := validate.FromSOAPAnswer([]soap.Finding{{Code: soap.CodeKind, Pointer: "/CbteNro"}})
	if len(found) != 1 || found[0].Code != "answer.kind" || found[0].Severity != validate.OBS || validate.FromSOAPAnswer(nil) != nil {
		t.Errorf("%+v", found)
	}
}

// TestTheContractIsThatOfTheRequest in both forms: the rules leave out the members that the base
// contract lacks.
func TestTheContractIsThatOfTheRequest(t *testing.T) {
	rules := newRules(t)
	operation, body := validatetest.Changed(t, "factura-b", "factura-b", []string{"-CondicionIVAReceptorId"})
	op := validatetest.Operation(t, operation)
	december := validatetest.Noon.AddDate(0, 0, 20) // the member must be there
	for _, contract := range []validate.Contract{validate.Base, validate.ARCA} {
		fromJSON, found := validate.Decode(op, body, contract)
		if len(found) > 0 {
			t.Fatal(validatetest.Brief(found))
		}
		wire, err := soap.AppendRequest(nil, soap.V11, op, fromJSON.Body)
		if err != nil {
			t.Fatal(err)
		}
		message, err := soap.Open(wire, "")
		if err != nil {
			t.Fatal(err)
		}
		fromSOAP, found := validate.DecodeSOAP(message, op, contract)
		if len(found) > 0 {
			t.Fatal(validatetest.Brief(found))
		}
		want, got := rules.Judge(fromJSON, december), rules.Judge(fromSOAP, december)
		if len(want) == 0 || !slices.Equal(got, want) {
			t.Errorf("%s: %+v, want %+v", contract, got, want)
		}
	}
}
