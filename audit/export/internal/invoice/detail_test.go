package invoice

import (
	"fmt"
	"slices"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/fielato/fielato/internal/audittest"
)

// TestPlainRequestsNeedNoDecoder: the requests of the suite are plain.
func TestPlainRequestsNeedNoDecoder(t *testing.T) {
	source := audittest.NewSource(6)
	for range 200 {
		request := source.Issue(3).Request
		got, ok := plainDetails(request)
		if want := decodedDetails(request); !ok || len(got) == 0 || !slices.Equal(got, want) {
			t.Fatalf("%s\n got %q, %t\nwant %q", request, got, ok, want)
		}
	}
}

// FuzzInvoiceDetails: what takes the shorter way has the same details.
func FuzzInvoiceDetails(f *testing.F) {
	f.Add(audittest.NewSource(6).Issue(2).Request)
	const whole = `{"Auth":{"Cuit":1},"FeCAEReq":{"FeCabReq":{"CantReg":1},"FeDetReq":{"FECAEDetRequest":[%s]}}}`
	for _, invoice := range []string{
		`{"CbteFch":"20260102","ImpTotal":1.50,"MonId":"PES"}`, ` { } , {"ImpTotal" : -0.0e+1 }`, `1`, `{"ImpTotal":01}`, `{"ImpTotal":"1","MonId":1}`,
		`{"MonId":"\u0050"}`, `{"MonId":"ñ","CbteFch":null}`, `{"CbteFch":"","ImpTotal":[]}`, `{"MonId":"` + "\xff" + `"}`, `{"MonId":"` + "\n" + `"}`, `{"Iva":[{"Id":5},[true,false]]}`,
		`{"ImpTotal":1,"ImpTotal":-2E3,"ImpTotal":{}}`, `{"a":[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]}`, `{"ImpTotal":1.}`, `{},`,
		`{"MonId":"PES"}]},"FeDetReq":{"FECAEADetRequest":[{}`, `{"MonId":"PES"}]},"FeDetReq":{},"x":{"y":[`, `{"MonId":"PES"}]}},"FeCAEARegInfReq":{"x":[{"y":[`,
	} {
		f.Add(fmt.Appendf(nil, whole, invoice))
	}
	f.Add([]byte(`{"FeCAEReq":{"FeDetReq":{"FECAEDetRequest":[{"MonId":"PES"}]}}} x`))
	f.Add([]byte(`{"FeCAEReq":[]}`))
	f.Fuzz(func(t *testing.T, request []byte) {
		got, ok := plainDetails(request)
		if want := decodedDetails(request); ok && !slices.Equal(got, want) {
			t.Errorf("%s\n got %q\nwant %q", request, got, want)
		}
		if ok && !jsontext.Value(request).IsValid(jsontext.AllowDuplicateNames(true)) {
			t.Errorf("no JSON: %s", request)
		}
	})
}
