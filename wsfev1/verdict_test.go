package wsfev1_test

import (
	"reflect"
	"testing"

	"github.com/fielato/fielato/wsfev1"
)

func TestTheVerdictOfAnAnswer(t *testing.T) {
	one := wsfev1.InvoiceRange{CbteDesde: 1, CbteHasta: 1}
	two := wsfev1.InvoiceRange{CbteDesde: 2, CbteHasta: 2}
	for name, c := range map[string]struct {
		answer any
		want   wsfev1.Verdict
	}{
		"a lot approved in part": {
			read[wsfev1.FECAESolicitarAnswer](t, `{"FeCabResp":{"Resultado":"P"},"FeDetResp":{"FECAEDetResponse":[
				{"CbteDesde":1,"CbteHasta":1,"Resultado":"A","CAE":"86470000000000","CAEFchVto":"20261130","Observaciones":{"Obs":[{"Code":10217,"Msg":"m"}]}},
				{"CbteDesde":2,"CbteHasta":2,"Resultado":"R","CAE":"","Observaciones":{"Obs":[{"Code":10048,"Msg":"m"},{"Code":10015,"Msg":"m"}]}}]}}`),
			wsfev1.Verdict{
				Resultado: "P", Codes: []int32{10217, 10048, 10015}, Observed: true,
				Invoices: []wsfev1.InvoiceVerdict{{one, "A", "86470000000000", "20261130", []int32{10217}}, {two, "R", "", "", []int32{10048, 10015}}},
			},
		},
		"a lot refused as a whole": {
			read[wsfev1.FECAESolicitarAnswer](t, `{"Errors":{"Err":[{"Code":600,"Msg":"m"}]}}`),
			wsfev1.Verdict{Codes: []int32{600}, Failed: true},
		},
		"a lot under an advance code": {
			read[wsfev1.FECAEARegInformativoAnswer](t, `{"FeCabResp":{"Resultado":"A"},"FeDetResp":{"FECAEADetResponse":[
				{"CbteDesde":1,"CbteHasta":1,"Resultado":"A","CAEA":"26477000000000"}]}}`),
			wsfev1.Verdict{Resultado: "A", Invoices: []wsfev1.InvoiceVerdict{{one, "A", "26477000000000", "", nil}}},
		},
		"an invoice asked for": {
			read[wsfev1.FECompConsultarAnswer](t, `{"ResultGet":{"CbteDesde":1,"CbteHasta":1,"Resultado":"A","CodAutorizacion":"86470000000000",
				"Observaciones":{"Obs":[{"Code":10063,"Msg":"m"}]}}}`),
			wsfev1.Verdict{
				Resultado: "A", Codes: []int32{10063}, Observed: true,
				Invoices: []wsfev1.InvoiceVerdict{{one, "A", "86470000000000", "", []int32{10063}}},
			},
		},
		"an invoice that is not there": {
			read[wsfev1.FECompConsultarAnswer](t, `{"Errors":{"Err":[{"Code":602,"Msg":"m"}]}}`),
			wsfev1.Verdict{Codes: []int32{602}, Failed: true},
		},
		"an advance code with an observation": {
			read[wsfev1.FECAEASolicitarAnswer](t, `{"ResultGet":{"CAEA":"26477000000000","Periodo":202611,"Orden":2,
				"Observaciones":{"Obs":[{"Code":15014,"Msg":"m"},{"Code":15018,"Msg":"m"}]}}}`),
			wsfev1.Verdict{
				Codes: []int32{15014, 15018}, Observed: true,
				Invoices: []wsfev1.InvoiceVerdict{{Code: "26477000000000", Codes: []int32{15014, 15018}}},
			},
		},
		"an advance code": {
			read[wsfev1.FECAEASolicitarAnswer](t, `{"ResultGet":{"CAEA":"26477000000000","Periodo":202611,"Orden":2}}`),
			wsfev1.Verdict{Invoices: []wsfev1.InvoiceVerdict{{Code: "26477000000000"}}},
		},
		"no advance code": {
			read[wsfev1.FECAEAConsultarAnswer](t, `{"ResultGet":{"Periodo":202611,"Orden":2},"Errors":{"Err":[{"Code":15008,"Msg":"m"}]}}`),
			wsfev1.Verdict{Codes: []int32{15008}, Failed: true},
		},
		"nothing issued": {
			read[wsfev1.FECAEASinMovimientoInformarAnswer](t, `{"CAEA":"26477000000000","PtoVta":4,"Resultado":"A"}`),
			wsfev1.Verdict{Resultado: "A"},
		},
		"a table with a notice": {
			read[wsfev1.FEParamGetTiposIvaAnswer](t, `{"ResultGet":{"IvaTipo":[]},"Events":{"Evt":[{"Code":39,"Msg":"m"}]}}`),
			wsfev1.Verdict{},
		},
		"an error body": {
			read[wsfev1.ErrorBody](t, `{"Errors":{"Err":[{"Code":"600","Msg":"m"},{"Code":"shape.syntax","Msg":"m"}]}}`),
			wsfev1.Verdict{Codes: []int32{600, 0}, Failed: true},
		},
		"health": {read[wsfev1.FEDummyAnswer](t, `{"AppServer":"OK"}`), wsfev1.Verdict{}},
	} {
		if got := wsfev1.VerdictOf(c.answer); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s\n got %+v\nwant %+v", name, got, c.want)
		}
	}
}

func TestEveryAnswerWithErrorsFails(t *testing.T) {
	for _, op := range wsfev1.Operations {
		answer := op.NewAnswer()
		envelope, ok := answer.(interface{ Fail(code int32, msg string) })
		if !ok {
			if op.Name != "FEDummy" {
				t.Errorf("%s cannot carry Errors", op.Name)
			}
			continue
		}
		envelope.Fail(500, "m")
		if v := wsfev1.VerdictOf(answer); !v.Failed || !reflect.DeepEqual(v.Codes, []int32{500}) {
			t.Errorf("%s: %+v", op.Name, v)
		}
	}
}
