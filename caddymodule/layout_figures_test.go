package caddymodule_test

import (
	"strings"
	"testing"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// TestAGatewayKnowsItsEnvironment by the service behind it, or by where it logs in. What it refuses is recorded with
// the service that would have got it, if that is certain.
func TestAGatewayKnowsItsEnvironment(t *testing.T) {
	anonymous := caddytest.Invoice(1)
	for from, to := range map[string]string{
		`"ImpTotal":121`: `"ImpTotal":6050000`, `"ImpNeto":100`: `"ImpNeto":5000000`, `"ImpIVA":21`: `"ImpIVA":1050000`,
		`"BaseImp":100.00,"Importe":21.00`: `"BaseImp":5000000.00,"Importe":1050000.00`,
	} {
		anonymous = strings.Replace(anonymous, from, to, 1)
	}
	// Another mistake keeps it from being sent.
	anonymous = strings.Replace(anonymous, `"CantReg":1`, `"CantReg":2`, 1)
	for next, want := range map[string]struct {
		action      string
		environment audit.Environment
	}{
		"wsfev1_arca homo": {"observe", audit.EnvironmentTesting},
		"reverse_proxy https://WSWHOMO.afip.gob.ar {\n transport wsfev1_soap\n }": {"observe", audit.EnvironmentTesting},
		"handle {\n wsfev1_arca homo\n }":                                         {"observe", audit.EnvironmentTesting},
		"wsfev1_arca prod":                                                        {"", audit.EnvironmentProduction},
		"wsfev1_backend":                                                          {"", audit.EnvironmentBuiltIn},
		"reverse_proxy https://wswhomo.afip.gov.ar https://servicios1.afip.gov.ar {\n transport wsfev1_soap\n }": {"observe", ""},
		"@homo header X-Environment homo\n wsfev1_arca @homo homo\n wsfev1_arca prod":                            {"observe", ""},
		"wsfev1_arca http://127.0.0.1:1": {"observe", ""},
	} {
		if next == "wsfev1_backend" {
			next = caddytest.WithBackend(t)
		}
		s := caddytest.Start(t, next)
		s.Post("FECAESolicitar", anonymous)
		got := ""
		for _, f := range s.Records()[0].Findings {
			if f.Code == "10015" {
				got = f.Action
			}
		}
		if r := s.Records()[0]; got != want.action || r.Environment != want.environment || r.Outcome != "refused" {
			t.Errorf("%s: %q of %s at %q, want %+v", next, got, r.Outcome, r.Environment, want)
		}
		if want.environment != audit.EnvironmentBuiltIn {
			continue
		}
		s.Post("FECAESolicitar", caddytest.Invoice(1))
		for _, r := range s.Records() {
			if r.Environment != want.environment {
				t.Errorf("%s, %s at %q", r.Kind, r.Outcome, r.Environment)
			}
		}
	}
}
