package send

import (
	"testing"

	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
)

// TestAnAnswerOfAnotherOperationIsNone: no invoice is the table of a tax. An empty table is one, and a page in JSON is
// nobody's.
func TestAnAnswerOfAnotherOperationIsNone(t *testing.T) {
	for name, test := range map[string]struct {
		operation, answer string
		bare              bool
	}{
		"the table":           {"FEParamGetTiposIva", `{"ResultGet":{"IvaTipo":[{"Id":"5","Desc":"21%"}]}}`, false},
		"with a new member":   {"FEParamGetTiposIva", `{"ResultGet":{"IvaTipo":[{"Id":"5","Tasa":21}],"Total":1}}`, false},
		"no rows":             {"FEParamGetTiposIva", `{"ResultGet":{"IvaTipo":[]}}`, false},
		"nothing in it":       {"FEParamGetTiposIva", `{"ResultGet":{}}`, false},
		"nothing, and a head": {"FEParamGetTiposIva", `{"ResultGet":{},"FEHeaderInfo":{"id":"7"}}`, false},
		"an error":            {"FEParamGetTiposIva", `{"Errors":{"Err":[{"Code":602,"Msg":"x"}]}}`, false},
		"an invoice":          {"FEParamGetTiposIva", `{"ResultGet":{"CbteDesde":7,"CbteHasta":7,"ImpTotal":121,"CodAutorizacion":"71263951827760"}}`, true},
		"another table":       {"FEParamGetTiposIva", `{"ResultGet":{"DocTipo":[{"Id":80}]}}`, true},
		"the last number":     {"FEParamGetTiposIva", `{"PtoVta":1,"CbteTipo":6,"CbteNro":3}`, true},
		"a table, for a last": {"FECompUltimoAutorizado", `{"ResultGet":{"DocTipo":[{"Id":80}]}}`, true},
		"an object":           {"FECompUltimoAutorizado", `{}`, true},
		"another program":     {"FECompUltimoAutorizado", `{"message":"not found"}`, true},
	} {
		op := wsfev1.OperationByName(test.operation)
		typed := op.NewAnswer()
		deviations := validate.DecodeAnswer(op.Answer, []byte(test.answer), typed)
		if got := isBare(typed, deviations); got != test.bare {
			t.Errorf("%s: bare %v", name, got)
		}
	}
}
