package validate_test

import (
	"bytes"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/fielato/fielato/internal/validatetest"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
)

// TestRefusedRequestsWithoutALotAreAnsweredAsTheServiceDoes: besides Errors the answer has
// the members that the service sends in any case, and no others.
func TestRefusedRequestsWithoutALotAreAnsweredAsTheServiceDoes(t *testing.T) {
	for _, test := range []struct{ template, change, code, without string }{
		{"ultimo", "/PtoVta=0", "11000", `{"PtoVta":0,"CbteTipo":6,"CbteNro":0}`},
		{"consulta", "/FeCompConsReq/CbteNro=0", "10202", `{}`},
		{"cotizacion", `/MonId=""`, "12001", `{}`},
		{"condicion-iva", `/ClaseCmp="E"`, "10244", `{}`},
		{"caea-solicitar", "/Orden=3", "15005", `{}`},
		{"caea-consultar", "/Orden=3", "15005", `{"ResultGet":{"Periodo":202611,"Orden":3}}`},
		{"caea-consultar", "/Periodo=0", "15004", `{"ResultGet":{"Periodo":0,"Orden":2}}`},
		{
			"sin-movimiento-informar", "/PtoVta=0", "1206",
			`{"CAEA":"46477000000017","FchProceso":"20261120","PtoVta":0,"Resultado":"R"}`,
		},
		{"sin-movimiento-informar", `/CAEA=""`, "1207", `{"CAEA":"","FchProceso":"20261120","PtoVta":3,"Resultado":"R"}`},
		{"sin-movimiento-consultar", `/CAEA="1"`, "10100", `{}`},
	} {
		name, body := validatetest.Changed(t, test.template, test.template, []string{test.change})
		req, found := judge(t, name, string(body))
		// At 23:30 in Argentina it is the next day in Greenwich already.
		answer := validate.Refusal(req, found, atMidnight)
		errs := answer.(interface{ Failures() []wsfev1.Err }).Failures()
		if len(found) != 1 || len(errs) != 1 || found[0].Code != test.code || errs[0].Msg != found[0].Message() || errs[0].Code != found[0].Number() {
			t.Errorf("%s %s: found %v, answered %+v, want %s", test.template, test.change, validatetest.Brief(found), errs, test.code)
		}
		if got := withoutErrors(t, answer); got != test.without {
			t.Errorf("%s %s: besides Errors %s, want %s", test.template, test.change, got, test.without)
		}
	}
}

// withoutErrors writes an answer without its Errors, in the order of its members.
func withoutErrors(t *testing.T, answer any) string {
	t.Helper()
	text, err := json.Marshal(answer)
	if err != nil {
		t.Fatal(err)
	}
	before, _, _ := bytes.Cut(text, []byte(`"Errors":`))
	rest := jsontext.Value(append(bytes.TrimSuffix(before, []byte(",")), '}'))
	if !rest.IsValid() {
		t.Fatalf("%s does not end with Errors", text)
	}
	return string(rest)
}
