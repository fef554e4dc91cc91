package backend_test

import (
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/fielato/fielato/internal/backend"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
)

func TestOnlyAReportRejectedBeforeItsHeaderHasAnErrorBody(t *testing.T) {
	service := newService(t)
	report := func(auth wsfev1.Auth, ptoVta int32) *wsfev1.FECAEARegInformativoRequest {
		r := &wsfev1.FECAEARegInformativoRequest{Auth: auth}
		r.FeCAEARegInfReq.FeCabReq = wsfev1.FeCabReq{CantReg: 1, PtoVta: ptoVta, CbteTipo: 6}
		r.FeCAEARegInfReq.FeDetReq.FECAEADetRequest = []wsfev1.FECAEADetRequest{{FECAEDetRequest: detail(1), CAEA: "46450000000017"}}
		return r
	}
	lot := lotRequest(issuer, 1, 6, 1, 1)
	lot.Auth = wsfev1.Auth{}
	for name, test := range map[string]struct {
		operation string
		request   any
		want      string
	}{
		"report without a ticket":       {"FECAEARegInformativo", report(wsfev1.Auth{Cuit: issuer}, 3), "600"},
		"report of a wrong point (701)": {"FECAEARegInformativo", report(ticket(issuer), 1), ""},
		"rejected report (780)":         {"FECAEARegInformativo", report(ticket(issuer), 3), ""},
		"lot without a ticket":          {"FECAESolicitar", lot, ""},
	} {
		answer, err := service.Answer(t.Context(), &validate.Request{Operation: operation(test.operation), Body: test.request})
		if err != nil {
			t.Fatal(err)
		}
		body := backend.ErrorBody(answer)
		if body == nil {
			if test.want != "" {
				t.Errorf("%s has no error body", name)
			}
			continue
		}
		if len(body.Errors.Err) != 1 || body.Errors.Err[0].Code != test.want || body.Errors.Err[0].Msg == "" {
			encoded, _ := json.Marshal(body)
			t.Errorf("%s: error body %s, want code %q", name, encoded, test.want)
		}
	}
}

func TestAFaultOfTheLedgerHasAnErrorBodyInAReport(t *testing.T) {
	answer := new(wsfev1.FECAEARegInformativoAnswer)
	if backend.ErrorBody(answer) != nil {
		t.Error("an answer without errors has an error body")
	}
	answer.Fail(501, "Error interno de base de datos")
	body := backend.ErrorBody(answer)
	if body == nil || body.Errors.Err[0] != (wsfev1.ErrorItem{Code: "501", Msg: "Error interno de base de datos"}) {
		t.Errorf("error body %+v", body)
	}
}
