package validate_test

import (
	"strings"
	"testing"

	"github.com/fielato/fielato/internal/validatetest"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
	"github.com/fielato/fielato/wsfev1/soap"
)

// TestALotIsReadUpToALimit: the invoices after it are counted and take no memory, in both forms; what
// follows the lot is read.
func TestALotIsReadUpToALimit(t *testing.T) {
	const limit = 250
	for _, operation := range []string{"FECAESolicitar", "FECAEARegInformativo"} {
		op := validatetest.Operation(t, operation)
		for sent, want := range map[int]struct {
			read, unread int
			found        []string
		}{
			0: {}, 1: {1, 0, nil}, limit: {limit, 0, nil}, limit + 1: {limit, 1, nil}, 9998: {limit, 9748, nil},
			10_000: {limit, 9750, nil}, 10_001: {limit, 9751, []string{"shape.items"}}, 30_000: {limit, 29_750, []string{"shape.items"}},
		} {
			for form, decode := range map[string]func() (*validate.Request, []validate.Finding){
				"JSON": func() (*validate.Request, []validate.Finding) {
					return validate.DecodeUpTo(op, []byte(lotOfEmpty(op, sent)), validate.ARCA, limit)
				},
				"SOAP": func() (*validate.Request, []validate.Finding) {
					message, err := soap.Open([]byte(lotOfEmptyInSOAP(op, sent)), "")
					if err != nil {
						t.Fatal(err)
					}
					return validate.OfSOAP(message.DecodeUpTo(op, limit), validate.ARCA)
				},
			} {
				req, found := decode()
				lot := wsfev1.LotOf(req.Body)
				if lot.Len() != want.read || req.Unread != want.unread || req.Items != want.read || lot.Header.CantReg != 7 {
					t.Errorf("%s, %s, %d: %d read of %d items, %d not", operation, form, sent, lot.Len(), req.Items, req.Unread)
				}
				if wsfev1.AuthOf(req.Body).Token.Reveal() != "t" {
					t.Errorf("%s, %s, %d: what follows was not read", operation, form, sent)
				}
				if len(found) != len(want.found) || len(found) > 0 && found[0].Code != want.found[0] {
					t.Errorf("%s, %s, %d: %v", operation, form, sent, validatetest.Brief(found))
				}
			}
		}
	}
}

// lotNames returns the names of a lot's envelope and of its list.
func lotNames(op *wsfev1.Operation) (request, list string) {
	if op.Name == "FECAEARegInformativo" {
		return "FeCAEARegInfReq", "FECAEADetRequest"
	}
	return "FeCAEReq", "FECAEDetRequest"
}

func lotOfEmpty(op *wsfev1.Operation, invoices int) string {
	request, list := lotNames(op)
	return `{"` + request + `":{"FeDetReq":{"` + list + `":[` + strings.TrimSuffix(strings.Repeat("{},", invoices), ",") + `]},` +
		`"FeCabReq":{"CantReg":7,"PtoVta":1,"CbteTipo":6}},"Auth":{"Token":"t","Sign":"s","Cuit":20111111112}}`
}

func lotOfEmptyInSOAP(op *wsfev1.Operation, invoices int) string {
	request, list := lotNames(op)
	return `<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body><` + op.Name + ` xmlns="` + soap.Namespace + `"><` + request + `>` +
		`<FeDetReq>` + strings.Repeat("<"+list+"/>", invoices) + `</FeDetReq><FeCabReq><CantReg>7</CantReg><PtoVta>1</PtoVta><CbteTipo>6</CbteTipo></FeCabReq></` + request + `>` +
		`<Auth><Token>t</Token><Sign>s</Sign><Cuit>20111111112</Cuit></Auth></` + op.Name + `></e:Body></e:Envelope>`
}
