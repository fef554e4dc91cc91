package caddymodule_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// TestExtremeNumbersAreAnswered, and recorded like any others, in requests and in answers:
// -1 is the largest number there is to whoever takes it for one without a sign.
func TestExtremeNumbersAreAnswered(t *testing.T) {
	const asked = `"FeCompConsReq":{"CbteTipo":6,"CbteNro":%d,"PtoVta":1}`
	for _, number := range []int64{-1, 0, math.MinInt64, math.MaxInt64} {
		text := fmt.Sprint(number)
		lot := strings.NewReplacer(`"CbteDesde":1,`, `"CbteDesde":`+text+`,`, `"CbteHasta":1,`, `"CbteHasta":`+text+`,`)
		said := newStub(t, answering(200, lot.Replace(approval)))
		found := newStub(t, answering(200, `{"ResultGet":{"CbteDesde":`+text+`,"CbteHasta":`+text+`,"CbteTipo":6,"PtoVta":1}}`))
		for name, test := range map[string]struct{ next, operation, body string }{
			"issued":            {withBackend(t), "FECAESolicitar", lot.Replace(invoice(1))},
			"informed":          {withBackend(t), "FECAEARegInformativo", "{" + authText + `,"FeCAEARegInfReq":{"FeCabReq":{"CantReg":1,"PtoVta":3,"CbteTipo":6},"FeDetReq":{"FECAEADetRequest":[{"Concepto":1,"CbteDesde":` + text + `,"CbteHasta":` + text + `,"CAEA":"31234567890123"}]}}}`},
			"asked for":         {withBackend(t), "FECompConsultar", "{" + authText + "," + fmt.Sprintf(asked, number) + "}"},
			"in an approval":    {proxyTo(said.URL), "FECAESolicitar", invoice(1)},
			"in a consultation": {proxyTo(found.URL), "FECompConsultar", "{" + authText + "," + fmt.Sprintf(asked, 1) + "}"},
			"not judged at all": {proxyTo(said.URL), "FECAESolicitar", lot.Replace(invoice(1))},
		} {
			t.Run(name+" "+text, func(t *testing.T) {
				options := []string{"recover within 100ms"}
				if strings.HasPrefix(name, "not judged") {
					options = append(options, "mode observe")
				}
				s := start(t, test.next, options...)
				if got := s.post(test.operation, test.body); got.header.Get("Wsfev1-Record") == "" {
					t.Errorf("%d %s", got.status, got.body)
				}
			})
		}
	}
}
