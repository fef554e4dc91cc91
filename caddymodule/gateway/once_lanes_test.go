package gateway_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// TestRequestsWithoutASeriesTouchNoOther: with mode observe a lot without invoices, or one
// whose numbers are zero, passes. It has a queue of its own, in which nothing of others is open.
func TestRequestsWithoutASeriesTouchNoOther(t *testing.T) {
	for name, odd := range map[string]string{
		"no invoices":      `{` + caddytest.AuthText + `,"FeCAEReq":{"FeCabReq":{"CantReg":0,"PtoVta":1,"CbteTipo":6},"FeDetReq":{"FECAEDetRequest":[]}}}`,
		"no point of sale": strings.Replace(caddytest.Invoice(1), `"PtoVta":1`, `"PtoVta":0`, 1),
		"no type":          strings.Replace(caddytest.Invoice(1), `"CbteTipo":6`, `"CbteTipo":0`, 1),
		"neither":          strings.NewReplacer(`"PtoVta":1`, `"PtoVta":0`, `"CbteTipo":6`, `"CbteTipo":0`).Replace(caddytest.Invoice(1)),
	} {
		t.Run(name, func(t *testing.T) {
			upstream := caddytest.NewIssuing(t)
			release := upstream.Hold(t, 7)
			s := caddytest.Start(t, caddytest.ProxyTo(upstream.URL), append(caddytest.Exactly, "mode observe")...)
			done := caddytest.HeldRequestOf(t, s, upstream.Arrived, caddytest.Invoice(7))
			got := s.Post("FECAESolicitar", odd)
			if got.Header.Get("Wsfev1-Outcome") == "unsettled" {
				t.Errorf("got %d %s", got.Status, got.Body)
			}
			release()
			if got := <-done; got.Header.Get("Wsfev1-Outcome") != "approved" {
				t.Errorf("the other series: %d %v", got.Status, got.Header)
			}
			outcomes := map[uint64][]string{}
			for _, r := range s.Records() {
				if r.Intent != 0 || r.Kind.String() == "outcome" {
					outcomes[r.Intent] = append(outcomes[r.Intent], fmt.Sprintf("%s %s", r.Kind, r.Outcome))
				}
			}
			for intent, all := range outcomes {
				if len(all) != 1 {
					t.Errorf("intent %d: %q", intent, all)
				}
			}
		})
	}
}
