package soap_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/fielato/fielato/wsfev1"
	"github.com/fielato/fielato/wsfev1/soap"
)

func lots(invoices string) []byte {
	return request("FECAESolicitar", auth+`<FeCAEReq><FeCabReq/><FeDetReq>`+invoices+`</FeDetReq></FeCAEReq>`)
}

func TestListsHaveNoMoreItemsThanTheirLimit(t *testing.T) {
	const limit = 10_000
	invoice := func(n int) string {
		return `<FECAEDetRequest><Opcionales>` + strings.Repeat(`<Opcional/>`, n) + `</Opcionales></FECAEDetRequest>`
	}
	const first = "/FeCAEReq/FeDetReq/FECAEDetRequest"
	for name, c := range map[string]struct {
		invoices string
		want     []string
	}{
		"the limit":              {strings.Repeat(`<FECAEDetRequest/>`, limit), []string{}},
		"one invoice more":       {strings.Repeat(`<FECAEDetRequest/>`, limit+1), []string{"shape.items " + first + "/10000"}},
		"an aliquot more":        {`<FECAEDetRequest><Iva>` + strings.Repeat(`<AlicIva/>`, 1001) + `</Iva></FECAEDetRequest>`, []string{"shape.items " + first + "/0/Iva/AlicIva/1000"}},
		"many invoices more":     {strings.Repeat(`<FECAEDetRequest/>`, 2*limit), []string{"shape.items " + first + "/10000"}},
		"many items more":        {strings.Repeat(`<FECAEDetRequest><Iva>`+strings.Repeat(`<AlicIva/>`, 1500)+`</Iva></FECAEDetRequest>`, 2), []string{"shape.items " + first + "/0/Iva/AlicIva/1000", "shape.items " + first + "/1/Iva/AlicIva/1000"}},
		"one item more":          {invoice(limit + 1), []string{"shape.items " + first + "/0/Opcionales/Opcional/10000"}},
		"all the items":          {strings.Repeat(invoice(limit-1), 10), []string{}},
		"one of all more":        {strings.Repeat(invoice(limit-1), 10) + invoice(1), []string{"shape.items " + first + "/10"}},
		"one of all more, in it": {strings.Repeat(invoice(limit-1), 9) + invoice(limit-2) + invoice(1), []string{"shape.items " + first + "/10/Opcionales/Opcional/0"}},
	} {
		if got := brief(read(t, lots(c.invoices)).Findings); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

func TestElementsThatAreIgnoredAreNamedUpToALimit(t *testing.T) {
	req := read(t, lots(strings.Repeat(`<FECAEDetRequest><Otro>x</Otro></FECAEDetRequest>`, 30)))
	if len(req.Ignored) != 20 || req.Ignored[1].Path != "/Envelope/Body/FECAESolicitar/FeCAEReq/FeDetReq/FECAEDetRequest[2]/Otro" || req.Ignored[1].Pointer != "/FeCAEReq/FeDetReq/FECAEDetRequest/1/Otro" || len(req.Findings) > 0 {
		t.Errorf("%d: %v, %v", len(req.Ignored), req.Ignored, brief(req.Findings))
	}
}

func TestRequestsAreSentWithTheDigitsOfTheClient(t *testing.T) {
	for amount, want := range map[string]string{
		"121.00": "121.00", "0.10": "0.10", "1e2": "100", "1.5E-3": "0.0015", "-0": "-0", "12345678901234567890.12": "12345678901234567890.12",
		"1234567890123456789012e1": "12345678901234568000000", "1e400": "1e400",
	} {
		req := lot(t, 1)
		req.FeCAEReq.FeDetReq.FECAEDetRequest[0].ImpTotal = wsfev1.MustAmount(amount)
		body, err := soap.AppendRequest(nil, soap.V11, operation(t, "FECAESolicitar"), req)
		if err != nil || !strings.Contains(string(body), "<ImpTotal>"+want+"</ImpTotal>") {
			t.Errorf("%s: %v, no %s in %s", amount, err, want, body)
		}
	}
}

func TestWhatWasNotSentIsLeftOut(t *testing.T) {
	body, err := soap.AppendRequest(nil, soap.V11, operation(t, "FEParamGetCondicionIvaReceptor"), &wsfev1.FEParamGetCondicionIvaReceptorRequest{Auth: wsfev1.Auth{Cuit: 1}})
	if err != nil || !strings.Contains(string(body), "<Auth><Cuit>1</Cuit></Auth></FEParamGetCondicionIvaReceptor>") {
		t.Errorf("%v: %s", err, body)
	}
	body, err = soap.AppendRequest(nil, soap.V12, operation(t, "FEDummy"), &wsfev1.FEDummyRequest{})
	if err != nil || !strings.Contains(string(body), `<soap:Body><FEDummy xmlns="`+soap.Namespace+`" /></soap:Body>`) {
		t.Errorf("%v: %s", err, body)
	}
	body, err = soap.AppendRequest(nil, soap.V12, operation(t, "FECAEASinMovimientoConsultar"), &wsfev1.FECAEASinMovimientoRequest{PtoVta: 4, CAEA: "31263951827760"})
	if err != nil || !strings.Contains(string(body), `<CAEA>31263951827760</CAEA><PtoVta>4</PtoVta></FECAEASinMovimientoConsultar>`) {
		t.Errorf("%v: %s", err, body)
	}
}
