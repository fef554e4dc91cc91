package soap_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/fielato/fielato/wsfev1"
	"github.com/fielato/fielato/wsfev1/soap"
)

// TestAReferenceMeansTheObjectBeforeIt: PHP's client writes a value once that a program has used in
// several invoices, in the way of each version of SOAP.
func TestAReferenceMeansTheObjectBeforeIt(t *testing.T) {
	const encoding = ` xmlns:enc="http://www.w3.org/2003/05/soap-encoding"`
	for _, form := range []struct{ id, reference string }{{`id="%s"`, `href="#%s"`}, {`enc:id="%s"` + encoding, `enc:ref="#%s"` + encoding}} {
		body := request("FECAESolicitar", auth+`<FeCAEReq><FeCabReq/><FeDetReq>`+
			`<FECAEDetRequest><CbteDesde>1</CbteDesde><Iva `+fmt.Sprintf(form.id, "i")+`><AlicIva `+fmt.Sprintf(form.id, "ref1")+`><Id>5</Id><BaseImp>100</BaseImp><Importe>21</Importe></AlicIva></Iva></FECAEDetRequest>`+
			`<FECAEDetRequest><CbteDesde>2</CbteDesde><Iva><AlicIva `+fmt.Sprintf(form.reference, "ref1")+`/></Iva></FECAEDetRequest>`+
			`<FECAEDetRequest><CbteDesde>3</CbteDesde><Iva `+fmt.Sprintf(form.reference, "i")+`> </Iva></FECAEDetRequest></FeDetReq></FeCAEReq>`)
		wantSameLines(t, body)
	}
}

// wantSameLines wants three invoices with the same line of tax.
func wantSameLines(t *testing.T, body []byte) {
	t.Helper()
	req := read(t, body)
	if len(req.Findings) > 0 {
		t.Fatal(brief(req.Findings))
	}
	for i, invoice := range req.Body.(*wsfev1.FECAESolicitarRequest).FeCAEReq.FeDetReq.FECAEDetRequest {
		if invoice.CbteDesde != int64(i+1) || invoice.Iva == nil || len(invoice.Iva.AlicIva) != 1 {
			t.Fatalf("%d: %+v", i, invoice)
		}
		if line := invoice.Iva.AlicIva[0]; line.Id != 5 || line.BaseImp.String() != "100" || line.Importe.String() != "21" {
			t.Errorf("%d: %+v", i, line)
		}
	}
}

// TestReferencesCountAsWhatTheyMean: a short message must not become a long request.
func TestReferencesCountAsWhatTheyMean(t *testing.T) {
	lot := `<FECAEDetRequest><Iva id="i">` + strings.Repeat(`<AlicIva/>`, 1000) + `</Iva></FECAEDetRequest>` +
		strings.Repeat(`<FECAEDetRequest><Iva href="#i"/></FECAEDetRequest>`, 200)
	req := read(t, request("FECAESolicitar", auth+`<FeCAEReq><FeCabReq/><FeDetReq>`+lot+`</FeDetReq></FeCAEReq>`))
	if len(req.Findings) == 0 || req.Findings[0].Code != soap.CodeItems {
		t.Error(brief(req.Findings))
	}
}

// TestReferencesMeanNoMoreThanTheMessage: each of them is as long as what it means in any other
// form of the request.
func TestReferencesMeanNoMoreThanTheMessage(t *testing.T) {
	const invoices = 1000
	lot := `<FECAEDetRequest><Opcionales><Opcional id="o"><Id>91</Id><Valor>` + strings.Repeat("x", 200_000) + `</Valor></Opcional></Opcionales></FECAEDetRequest>` +
		strings.Repeat(`<FECAEDetRequest><Opcionales><Opcional href="#o"/></Opcionales></FECAEDetRequest>`, invoices)
	req := read(t, lots(lot))
	if len(req.Findings) == 0 || req.Findings[0].Code != soap.CodeItems {
		written, err := soap.AppendRequest(nil, soap.V11, req.Operation, req.Body)
		t.Errorf("%v: a message of %d bytes means one of %d, %v", brief(req.Findings), len(lots(lot)), len(written), err)
	}
	shared := `<FECAEDetRequest><Iva id="i">` + strings.Repeat(`<AlicIva><Id>5</Id><BaseImp>100</BaseImp><Importe>21</Importe></AlicIva>`, 9) + `</Iva></FECAEDetRequest>` +
		strings.Repeat(`<FECAEDetRequest><Iva href="#i"/></FECAEDetRequest>`, 250)
	if req := read(t, lots(shared)); len(req.Findings) > 0 {
		t.Errorf("250 invoices with one list of rates: %v", brief(req.Findings))
	}
}

// TestAReferenceLacksWhatItsObjectLacks, and has its digits.
func TestAReferenceLacksWhatItsObjectLacks(t *testing.T) {
	long := `<BaseImp>12345678901234567890</BaseImp>`
	line := func(attribute, content string) string {
		return `<FECAEDetRequest><Iva><AlicIva ` + attribute + `>` + content + `</AlicIva></Iva></FECAEDetRequest>`
	}
	spelled := read(t, lots(strings.Repeat(line("", long), 2)))
	referred := read(t, lots(line(`id="a"`, long)+line(`href="#a"`, "")))
	if len(spelled.Overlong) != 2 || !reflect.DeepEqual(spelled.Absent, referred.Absent) || !slices.Equal(spelled.Overlong, referred.Overlong) {
		t.Errorf("%+v %v, want %+v %v", referred.Absent, referred.Overlong, spelled.Absent, spelled.Overlong)
	}
}
