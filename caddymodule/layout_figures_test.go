package caddymodule_test

import (
	"strings"
	"testing"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// TestAGatewayKnowsItsEnvironment by the service behind it, or by where it logs in.
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
	for next, want := range map[string]string{
		"wsfev1_arca homo": "refuse",
		"reverse_proxy https://WSWHOMO.afip.gob.ar {\n transport wsfev1_soap\n }": "refuse",
		"handle {\n wsfev1_arca homo\n }":                                         "refuse",
		"wsfev1_arca prod":                                                        "",
		"wsfev1_backend":                                                          "",
		"reverse_proxy https://wswhomo.afip.gov.ar https://servicios1.afip.gov.ar {\n transport wsfev1_soap\n }": "observe",
		"@homo header X-Environment homo\n wsfev1_arca @homo homo\n wsfev1_arca prod":                            "observe",
		"wsfev1_arca http://127.0.0.1:1": "observe",
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
		if got != want || s.Records()[0].Outcome != "refused" {
			t.Errorf("%s: %q of %s, want %q", next, got, s.Records()[0].Outcome, want)
		}
	}
}
