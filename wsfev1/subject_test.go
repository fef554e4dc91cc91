package wsfev1_test

import (
	"reflect"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/fielato/fielato/wsfev1"
)

func read[T any](t *testing.T, document string) *T {
	t.Helper()
	v := new(T)
	if err := json.Unmarshal([]byte(document), v, json.RejectUnknownMembers(true)); err != nil {
		t.Fatal(err)
	}
	return v
}

const subjectAuth = `"Auth":{"Token":"t","Sign":"s","Cuit":20111111112}`

func TestTheSubjectOfARequestIsWhatItNames(t *testing.T) {
	for name, c := range map[string]struct {
		request any
		want    wsfev1.Subject
	}{
		"a lot for CAE": {
			read[wsfev1.FECAESolicitarRequest](t, `{`+subjectAuth+`,"FeCAEReq":{"FeCabReq":{"CantReg":2,"PtoVta":3,"CbteTipo":6},
				"FeDetReq":{"FECAEDetRequest":[{"CbteDesde":7,"CbteHasta":7},{"CbteDesde":8,"CbteHasta":12}]}}}`),
			wsfev1.Subject{PtoVta: 3, CbteTipo: 6, Invoices: []wsfev1.InvoiceRange{{7, 7}, {8, 12}}},
		},
		"a lot under an advance code": {
			read[wsfev1.FECAEARegInformativoRequest](t, `{`+subjectAuth+`,"FeCAEARegInfReq":{"FeCabReq":{"CantReg":1,"PtoVta":4,"CbteTipo":11},
				"FeDetReq":{"FECAEADetRequest":[{"CbteDesde":1,"CbteHasta":1,"CAEA":"26477000000000"}]}}}`),
			wsfev1.Subject{PtoVta: 4, CbteTipo: 11, Invoices: []wsfev1.InvoiceRange{{1, 1}}, CAEA: "26477000000000"},
		},
		"an empty lot": {
			read[wsfev1.FECAEARegInformativoRequest](t, `{`+subjectAuth+`,"FeCAEARegInfReq":{"FeCabReq":{"CantReg":1,"PtoVta":4,"CbteTipo":11},
				"FeDetReq":{"FECAEADetRequest":[]}}}`),
			wsfev1.Subject{PtoVta: 4, CbteTipo: 11, Invoices: []wsfev1.InvoiceRange{}},
		},
		"one invoice": {
			read[wsfev1.FECompConsultarRequest](t, `{`+subjectAuth+`,"FeCompConsReq":{"CbteTipo":6,"CbteNro":9,"PtoVta":3}}`),
			wsfev1.Subject{PtoVta: 3, CbteTipo: 6, Invoices: []wsfev1.InvoiceRange{{9, 9}}},
		},
		"a series": {
			read[wsfev1.FECompUltimoAutorizadoRequest](t, `{`+subjectAuth+`,"PtoVta":3,"CbteTipo":6}`),
			wsfev1.Subject{PtoVta: 3, CbteTipo: 6},
		},
		"an advance code": {
			read[wsfev1.FECAEASinMovimientoRequest](t, `{`+subjectAuth+`,"PtoVta":4,"CAEA":"26477000000000"}`),
			wsfev1.Subject{PtoVta: 4, CAEA: "26477000000000"},
		},
		"a fortnight": {
			read[wsfev1.FECAEASolicitarRequest](t, `{`+subjectAuth+`,"Periodo":202611,"Orden":2}`), wsfev1.Subject{},
		},
	} {
		c.want.Cuit = 20111111112
		if got := wsfev1.SubjectOf(c.request); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s\n got %+v\nwant %+v", name, got, c.want)
		}
	}
}

func TestEveryRequestWithCredentialsGivesThem(t *testing.T) {
	for _, op := range wsfev1.Operations {
		request, want := op.NewRequest(), wsfev1.Auth{}
		if f := reflect.ValueOf(request).Elem().FieldByName("Auth"); f.IsValid() {
			want = wsfev1.Auth{Token: "t", Sign: "s", Cuit: 20111111112}
			f.Set(reflect.ValueOf(want))
		}
		if got := wsfev1.AuthOf(request); got != want {
			t.Errorf("%s gives the credentials of %d", op.Name, got.Cuit)
		}
		if got := wsfev1.SubjectOf(request).Cuit; got != want.Cuit {
			t.Errorf("%s is about %d", op.Name, got)
		}
	}
}

func TestARequestIsCopiedWithOtherCredentials(t *testing.T) {
	other := wsfev1.Auth{Token: "t2", Sign: "s2", Cuit: 20111111112}
	for _, op := range wsfev1.Operations {
		request := op.NewRequest()
		f := reflect.ValueOf(request).Elem().FieldByName("Auth")
		if !f.IsValid() {
			if got := wsfev1.WithAuth(request, other); got != request {
				t.Errorf("%s has no credentials and gave another request", op.Name)
			}
			continue
		}
		got := wsfev1.WithAuth(request, other)
		if wsfev1.AuthOf(got) != other || wsfev1.AuthOf(request) != (wsfev1.Auth{}) {
			t.Errorf("%s was not copied", op.Name)
		}
		f.Set(reflect.ValueOf(other))
		if !reflect.DeepEqual(got, request) {
			t.Errorf("%s lost something", op.Name)
		}
	}
	for _, odd := range []any{nil, 3, "x", (*wsfev1.AuthRequest)(nil), wsfev1.AuthRequest{}} {
		if got := wsfev1.WithAuth(odd, other); !reflect.DeepEqual(got, odd) {
			t.Errorf("%v became %v", odd, got)
		}
	}
}
