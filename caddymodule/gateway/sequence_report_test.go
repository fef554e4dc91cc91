package gateway_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/wsfev1"
)

// reported is the report of an invoice that was issued today under an advance code.
func reported(number int, caea string) string {
	now := time.Now().In(wsfev1.Argentina)
	more := fmt.Sprintf(`,"CbteFch":"%s","CAEA":"%s","CbteFchHsGen":"%s"`, now.Format("20060102"), caea, now.Format("20060102150405"))
	return strings.NewReplacer("FeCAEReq", "FeCAEARegInfReq", "FECAEDetRequest", "FECAEADetRequest", `"PtoVta":1`, `"PtoVta":3`).
		Replace(caddytest.InvoiceOf(number, more))
}

// TestSequenceOfReports: the service has a code of its own for a report that does not
// follow.
func TestSequenceOfReports(t *testing.T) {
	for _, level := range []string{"observe", "enforce"} {
		t.Run(level, func(t *testing.T) {
			s := caddytest.Start(t, caddytest.WithBackend(t), append(caddytest.Exactly, "sequence "+level)...)
			periodo, orden, _ := caddytest.Fortnight(t, wsfev1.DateOf(time.Now()))
			granted := s.Post("FECAEASolicitar", fmt.Sprintf(`{%s,"Periodo":%d,"Orden":%d}`, caddytest.AuthText, periodo, orden))
			caea := strings.Trim(granted.At(t, "/ResultGet/CAEA"), `"`)
			if got := s.Post("FECAEARegInformativo", reported(1, caea)); got.At(t, "/FeCabResp/Resultado") != `"A"` {
				t.Fatalf("%s", got.Body)
			}
			got, outcome := s.Post("FECAEARegInformativo", reported(3, caea)), "rejected"
			if level == "enforce" {
				outcome = "refused"
			}
			if got.Header.Get("Wsfev1-Outcome") != outcome || caddytest.FirstError(t, got) != "703" {
				t.Errorf("%v %s", got.Header, got.Body)
			}
			if r := s.Last(); len(r.Findings) != 1 || r.Findings[0].Code != "703" {
				t.Errorf("findings %+v", r.Findings)
			}
		})
	}
}
