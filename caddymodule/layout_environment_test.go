package caddymodule_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/internal/wsaatest"
)

// keeping is a site with a gateway that logs in at a login service, and what stands behind it.
func keeping(t *testing.T, login, behind string) string {
	t.Helper()
	certificate, key := caddytest.WriteCredential(t, wsaatest.NewClient(t, wsaatest.Spec{
		Subject: wsaatest.Subject("20111111112", "erp"), From: time.Now().Add(-time.Hour), Until: time.Now().AddDate(1, 0, 0),
	}))
	return fmt.Sprintf("http://localhost:8080 {\n wsfev1 {\n wsaa %s {\n certificate %s\n key %s\n cuits 20111111112\n store memory\n }\n }\n %s\n}\n",
		login, certificate, key, behind)
}

// TestTicketsOfTheOtherEnvironmentAreRefused when the configuration is loaded: the service would refuse
// each of them.
func TestTicketsOfTheOtherEnvironmentAreRefused(t *testing.T) {
	t.Chdir(t.TempDir())
	const refused = "which refuses such tickets"
	for name, test := range map[string]struct{ login, behind, want string }{
		"testing to production":      {"homo", "wsfev1_arca prod", "wsaa homo logs in for testing (homologación), and the service behind wsfev1, servicios1.afip.gov.ar, is that of production"},
		"production to testing":      {"prod", "wsfev1_arca homo", "wsaa prod logs in for production"},
		"by address":                 {"https://wsaahomo.afip.gov.ar/ws/services/LoginCms", "wsfev1_arca https://servicios1.afip.gov.ar/wsfev1/service.asmx", refused},
		"by the transport":           {"homo", "reverse_proxy https://SERVICIOS1.afip.gob.ar {\n transport wsfev1_soap\n }", refused},
		"one of two":                 {"homo", "reverse_proxy https://wswhomo.afip.gov.ar https://servicios1.afip.gov.ar {\n transport wsfev1_soap\n }", refused},
		"in a handle, by itself":     {"homo", "handle {\n wsfev1_arca prod\n }", refused},
		"the same, testing":          {"homo", "wsfev1_arca homo", ""},
		"the same, production":       {"prod", "wsfev1_arca prod", ""},
		"another service":            {"prod", "reverse_proxy https://invoicing.example.com", ""},
		"another login service":      {"http://localhost:9000", "wsfev1_arca homo", ""},
		"each environment by header": {"homo", "@homo header X-Environment homo\n wsfev1_arca @homo homo\n wsfev1_arca prod", ""},
		"the built-in service":       {"homo", "wsfev1_backend", ""},
	} {
		err := validateCaddyfile(t, keeping(t, test.login, test.behind))
		if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%s: %v, want %q", name, err, test.want)
		}
	}
}
