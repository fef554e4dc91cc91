package send

import (
	"testing"
)

const auth = `"Auth":{"Token":"t","Sign":"s","Cuit":20111111112}`

// TestARejectionOfAnotherRequestIsNotBelieved: an answer with Errors may lack what it likes, and whatever it has must be
// of this request. Nor is one believed that says two things.
func TestARejectionOfAnotherRequestIsNotBelieved(t *testing.T) {
	const (
		lot = "{" + auth + `,"FeCAEReq":{"FeCabReq":{"CantReg":2,"PtoVta":1,"CbteTipo":6},"FeDetReq":{"FECAEDetRequest":[` +
			`{"CbteDesde":7,"CbteHasta":7},{"CbteDesde":8,"CbteHasta":8}]}}}`
		fortnight = "{" + auth + `,"Periodo":202611,"Orden":2}`
		point     = "{" + auth + `,"PtoVta":3,"CAEA":"26450000000012"}`
		errors    = `"Errors":{"Err":[{"Code":10000,"Msg":"x"}]}`
		details   = `"FeDetResp":{"FECAEDetResponse":[`
	)
	head := func(resultado string) string {
		return `"FeCabResp":{"Cuit":20111111112,"PtoVta":1,"CbteTipo":6,"CantReg":2,"Resultado":"` + resultado + `"},`
	}
	for name, test := range map[string]fitTest{
		"nothing but errors":      {"FECAESolicitar", lot, "{" + errors + "}", ""},
		"a head without members":  {"FECAESolicitar", lot, `{"FeCabResp":{"Resultado":"R"},` + errors + "}", ""},
		"both invoices":           {"FECAESolicitar", lot, "{" + head("R") + details + `{"CbteDesde":7,"CbteHasta":7,"Resultado":"R"},{"CbteDesde":8,"CbteHasta":8,"Resultado":"R"}]},` + errors + "}", ""},
		"only the second invoice": {"FECAESolicitar", lot, "{" + head("R") + details + `{"CbteDesde":8,"CbteHasta":8,"Resultado":"R"}]},` + errors + "}", ""},
		"zeros for the invoice":   {"FECAESolicitar", lot, "{" + head("R") + details + `{"CbteDesde":0,"CbteHasta":0,"Resultado":"R"}]},` + errors + "}", ""},
		"another issuer":          {"FECAESolicitar", lot, `{"FeCabResp":{"Cuit":30500010912,"Resultado":"R"},` + errors + "}", "/FeCabResp/Cuit"},
		"another point of sale":   {"FECAESolicitar", lot, `{"FeCabResp":{"PtoVta":2,"Resultado":"R"},` + errors + "}", "/FeCabResp/PtoVta"},
		"another type":            {"FECAESolicitar", lot, `{"FeCabResp":{"CbteTipo":1,"Resultado":"R"},` + errors + "}", "/FeCabResp/CbteTipo"},
		"another number":          {"FECAESolicitar", lot, "{" + head("R") + details + `{"CbteDesde":7,"CbteHasta":7,"Resultado":"R"},{"CbteDesde":9,"CbteHasta":9,"Resultado":"R"}]},` + errors + "}", "/FeDetResp/FECAEDetResponse/1/CbteDesde"},
		"too many invoices":       {"FECAESolicitar", lot, "{" + details + `{"Resultado":"R"},{"Resultado":"R"},{"Resultado":"R"}]},` + errors + "}", "/FeDetResp/FECAEDetResponse"},
		"a part, and none of it":  {"FECAESolicitar", lot, "{" + head("P") + details + `{"CbteDesde":7,"CbteHasta":7,"Resultado":"R"},{"CbteDesde":8,"CbteHasta":8,"Resultado":"R"}]}}`, "/FeCabResp/Resultado"},
		"another fortnight":       {"FECAEASolicitar", fortnight, `{"ResultGet":{"Periodo":202611,"Orden":1},` + errors + "}", "/ResultGet/Orden"},
		"no fortnight":            {"FECAEASolicitar", fortnight, `{"ResultGet":{"Periodo":0,"Orden":0},` + errors + "}", ""},
		"another code":            {"FECAEASinMovimientoInformar", point, `{"PtoVta":3,"CAEA":"26450000000024",` + errors + "}", "/CAEA"},
		"an echo":                 {"FECAEASinMovimientoInformar", point, `{"PtoVta":3,"Resultado":"R",` + errors + "}", ""},
		"carried out and refused": {"FECAEASinMovimientoInformar", point, `{"PtoVta":3,"Resultado":"A",` + errors + "}", "/Errors"},
	} {
		test.check(t, name)
	}
}
