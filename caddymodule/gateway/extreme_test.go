package gateway_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// TestExtremeNumbersAreAnswered, and recorded like any others, in requests and in answers:
// -1 is the largest number there is where it is read as one without a sign.
func TestExtremeNumbersAreAnswered(t *testing.T) {
	const asked = `"FeCompConsReq":{"CbteTipo":6,"CbteNro":%d,"PtoVta":1}`
	for _, number := range []int64{-1, 0, math.MinInt64, math.MaxInt64} {
		text := fmt.Sprint(number)
		lot := strings.NewReplacer(`"CbteDesde":1,`, `"CbteDesde":`+text+`,`, `"CbteHasta":1,`, `"CbteHasta":`+text+`,`)
		said := caddytest.NewStub(t, caddytest.Answering(200, lot.Replace(caddytest.Approval)))
		found := caddytest.NewStub(t, caddytest.Answering(200, `{"ResultGet":{"CbteDesde":`+text+`,"CbteHasta":`+text+`,"CbteTipo":6,"PtoVta":1}}`))
		for name, test := range map[string]struct{ next, operation, body string }{
			"issued":            {caddytest.WithBackend(t), "FECAESolicitar", lot.Replace(caddytest.Invoice(1))},
			"informed":          {caddytest.WithBackend(t), "FECAEARegInformativo", "{" + caddytest.AuthText + `,"FeCAEARegInfReq":{"FeCabReq":{"CantReg":1,"PtoVta":3,"CbteTipo":6},"FeDetReq":{"FECAEADetRequest":[{"Concepto":1,"CbteDesde":` + text + `,"CbteHasta":` + text + `,"CAEA":"31234567890123"}]}}}`},
			"asked for":         {caddytest.WithBackend(t), "FECompConsultar", "{" + caddytest.AuthText + "," + fmt.Sprintf(asked, number) + "}"},
			"in an approval":    {caddytest.ProxyTo(said.URL), "FECAESolicitar", caddytest.Invoice(1)},
			"in a consultation": {caddytest.ProxyTo(found.URL), "FECompConsultar", "{" + caddytest.AuthText + "," + fmt.Sprintf(asked, 1) + "}"},
			"not judged at all": {caddytest.ProxyTo(said.URL), "FECAESolicitar", lot.Replace(caddytest.Invoice(1))},
		} {
			t.Run(name+" "+text, func(t *testing.T) {
				options := []string{"recover within 100ms"}
				if strings.HasPrefix(name, "not judged") {
					options = append(options, "mode observe")
				}
				s := caddytest.Start(t, test.next, options...)
				if got := s.Post(test.operation, test.body); got.Header.Get("Wsfev1-Record") == "" {
					t.Errorf("%d %s", got.Status, got.Body)
				}
			})
		}
	}
}
