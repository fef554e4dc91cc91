package send

import (
	"testing"
)

// TestAnAnswerAboutSomethingElseDoesNotFitItsQuery, and one that leaves out what was asked for does: an error comes with
// zeros, and the service spells a currency in capitals.
func TestAnAnswerAboutSomethingElseDoesNotFitItsQuery(t *testing.T) {
	const (
		consult = "{" + auth + `,"FeCompConsReq":{"CbteTipo":6,"CbteNro":7,"PtoVta":1}}`
		last    = "{" + auth + `,"PtoVta":1,"CbteTipo":6}`
		advance = "{" + auth + `,"Periodo":202611,"Orden":2}`
		idle    = "{" + auth + `,"PtoVta":3,"CAEA":"26450000000012"}`
		rate    = "{" + auth + `,"MonId":"dol"}`
		errors  = `"Errors":{"Err":[{"Code":602,"Msg":"x"}]}`
	)
	for name, test := range map[string]fitTest{
		"the invoice":                {"FECompConsultar", consult, `{"ResultGet":{"CbteDesde":7,"CbteHasta":7,"PtoVta":1,"CbteTipo":6}}`, ""},
		"its range":                  {"FECompConsultar", consult, `{"ResultGet":{"CbteDesde":5,"CbteHasta":9}}`, ""},
		"no invoice":                 {"FECompConsultar", consult, "{" + errors + "}", ""},
		"zeros":                      {"FECompConsultar", consult, `{"ResultGet":{"CbteDesde":0,"PtoVta":0},` + errors + "}", ""},
		"a later invoice":            {"FECompConsultar", consult, `{"ResultGet":{"CbteDesde":8,"CbteHasta":8,"PtoVta":1,"CbteTipo":6}}`, "/ResultGet/CbteDesde"},
		"an earlier invoice":         {"FECompConsultar", consult, `{"ResultGet":{"CbteDesde":6,"CbteHasta":6,"PtoVta":1,"CbteTipo":6}}`, "/ResultGet/CbteDesde"},
		"an invoice of another":      {"FECompConsultar", consult, `{"ResultGet":{"CbteDesde":7,"CbteHasta":7,"PtoVta":2,"CbteTipo":6}}`, "/ResultGet/PtoVta"},
		"an invoice of another type": {"FECompConsultar", consult, `{"ResultGet":{"CbteDesde":7,"CbteHasta":7,"CbteTipo":1}}`, "/ResultGet/CbteTipo"},
		"the last number":            {"FECompUltimoAutorizado", last, `{"PtoVta":1,"CbteTipo":6,"CbteNro":3}`, ""},
		"a ticket that is refused":   {"FECompUltimoAutorizado", last, `{"PtoVta":0,"CbteTipo":0,"CbteNro":0,` + errors + "}", ""},
		"of another point of sale":   {"FECompUltimoAutorizado", last, `{"PtoVta":2,"CbteTipo":6,"CbteNro":3}`, "/PtoVta"},
		"of another type":            {"FECompUltimoAutorizado", last, `{"PtoVta":1,"CbteTipo":1,"CbteNro":3}`, "/CbteTipo"},
		"an error of another":        {"FECompUltimoAutorizado", last, `{"PtoVta":2,"CbteTipo":6,"CbteNro":0,` + errors + "}", "/PtoVta"},
		"the fortnight":              {"FECAEAConsultar", advance, `{"ResultGet":{"CAEA":"26450000000012","Periodo":202611,"Orden":2}}`, ""},
		"another fortnight":          {"FECAEAConsultar", advance, `{"ResultGet":{"CAEA":"26450000000012","Periodo":202611,"Orden":1}}`, "/ResultGet/Orden"},
		"the code":                   {"FECAEASinMovimientoConsultar", idle, `{"ResultGet":{"FECAEASinMov":[{"CAEA":"26450000000012","PtoVta":4}]}}`, ""},
		"another code":               {"FECAEASinMovimientoConsultar", idle, `{"ResultGet":{"FECAEASinMov":[{},{"CAEA":"26450000000024","PtoVta":3}]}}`, "/ResultGet/FECAEASinMov/1/CAEA"},
		"any code":                   {"FECAEASinMovimientoConsultar", "{" + auth + `,"PtoVta":3,"CAEA":""}`, `{"ResultGet":{"FECAEASinMov":[{"CAEA":"26450000000012","PtoVta":3}]}}`, ""},
		"the rate, in digits":        {"FEParamGetCotizacion", "{" + auth + `,"MonId":"60"}`, `{"ResultGet":{"MonId":"060","MonCotiz":1.5}}`, ""},
		"the rate":                   {"FEParamGetCotizacion", rate, `{"ResultGet":{"MonId":"DOL ","MonCotiz":1130.034}}`, ""},
		"the rate of another":        {"FEParamGetCotizacion", rate, `{"ResultGet":{"MonId":"060","MonCotiz":1.5}}`, "/ResultGet/MonId"},
	} {
		test.check(t, name)
	}
}
