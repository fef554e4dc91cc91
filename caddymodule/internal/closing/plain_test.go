package closing_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/fielato/fielato/caddymodule/internal/closing"
	"github.com/fielato/fielato/internal/audittest"
)

// TestRequestsArePlain: what clients send takes the shorter way, and is read as a decoder reads it.
func TestRequestsArePlain(t *testing.T) {
	source := audittest.NewSource(37)
	for range 200 {
		request := source.Issue(20).Request
		got, isPlain := closing.PlainInvoices(request)
		if want := closing.DecodedInvoices(request); !isPlain || len(got) == 0 || !reflect.DeepEqual(got, want) {
			t.Fatalf("%t\n%s\n%+v, want %+v", isPlain, request, got, want)
		}
	}
}

// FuzzPlainInvoices: what takes the shorter way is read as a decoder reads it.
func FuzzPlainInvoices(f *testing.F) {
	for _, seed := range []string{
		``, `{}`, `null`, `[]`, `{} x`, `{"FeCAEReq":null}`, `{"FeCAEReq":{"FeDetReq":{"FECAEDetRequest":[]}}}`,
		`{"FeCAEReq":{"FeDetReq":{"FECAEDetRequest":[null]}}}`, `{"FeCAEReq":{"FeDetReq":{"FECAEDetRequest":{}}}}`,
		`{"FeCAEReq":{"FeDetReq":{"FECAEDetRequest":[{},]}}}`, `{"FeCAEReq":{"FeDetReq":{"FECAEADetRequest":[1]}}}`,
	} {
		f.Add([]byte(seed))
	}
	for _, members := range []string{
		`"CbteDesde":7,"CbteHasta":7,"CbteFch":"20261001","ImpTotal":121.00,"MonId":"DOL","MonCotiz":1.5`,
		`"CbteDesde":7,"CbteDesde":null,"CbteDesde":"8","ImpTotal":"hmac-sha256:00","ImpTotal":null`,
		`"DocTipo":1e3,"DocNro":-1,"CbteFch":7,"CbteFch":null,"ImpIVA":{},"ImpTrib":[1,[2]],"ImpNeto":true`,
		`"Iva":{"AlicIva":[{"Id":5,"BaseImp":100,"Importe":21},{"Id":"5"}]},"CbtesAsoc":{"CbteAsoc":[{"Tipo":1,"PtoVta":2,"Nro":3,"Cuit":"20111111112"}]}`,
		`"Iva":{"AlicIva":[{"Id":5}],"AlicIva":[{"Importe":1}]},"Iva":{"Other":[]}`, `"Iva":null`, `"Iva":{"AlicIva":null}`, `"Iva":{"AlicIva":[[]]}`, `"\u0049va":{}`, `"ImpTotal":01`, `"ImpTotal":1.`,
	} {
		f.Add(fmt.Appendf(nil, `{"FeCAEReq":{"FeDetReq":{"FECAEDetRequest":[{%s}]}}}`, members))
		f.Add(fmt.Appendf(nil, ` { "FeCAEARegInfReq" : { "FeDetReq" : { "FECAEADetRequest" : [ { %s } , { "CbteDesde" : 1 } ] } } } `, members))
		lot := fmt.Sprintf(`{"FeDetReq":{"FECAEDetRequest":[{%s}],"FECAEADetRequest":[{%s}]}}`, members, members)
		f.Add([]byte(strings.ReplaceAll(`{"FeCAEReq":X,"FeCAEARegInfReq":X,"FeCAEReq":X,"FeCAEReq":{"FeDetReq":{}}}`, "X", lot)))
	}
	f.Fuzz(func(t *testing.T, request []byte) {
		got, isPlain := closing.PlainInvoices(request)
		if want := closing.DecodedInvoices(request); isPlain && !reflect.DeepEqual(got, want) {
			t.Fatalf("%s\n%+v, want %+v", request, got, want)
		}
	})
}
