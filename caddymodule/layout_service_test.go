package caddymodule_test

import (
	"strings"
	"testing"
)

// TestOneTrailForTwoServicesIsRefused when the configuration is loaded: a repeated request to the one
// would be answered with the authorisation of the other.
func TestOneTrailForTwoServicesIsRefused(t *testing.T) {
	t.Chdir(t.TempDir())
	site := func(port, audit, behind string) string {
		return "http://localhost:" + port + " {\n wsfev1 {\n " + audit + "\n }\n " + behind + "\n}\n"
	}
	const invented, environments = "wsfev1_backend, whose CAEs are invented", "which is ARCA's service for"
	for name, test := range map[string]struct{ configuration, want string }{
		"test and real, by default":     {site("8080", "", "wsfev1_backend") + site("8081", "", "wsfev1_arca prod"), invented},
		"real and test":                 {site("8080", "", "wsfev1_arca homo") + site("8081", "", "wsfev1_backend"), invented},
		"a service of one's own":        {site("8080", "", "wsfev1_backend") + site("8081", "", "reverse_proxy localhost:9000"), invented},
		"one port":                      {"http://test.localhost:8080 {\n wsfev1\n wsfev1_backend\n}\nhttp://real.localhost:8080 {\n wsfev1\n reverse_proxy localhost:9000\n}\n", invented},
		"one site, by path":             {"http://localhost:8080 {\n handle_path /test/* {\n wsfev1\n wsfev1_backend\n }\n handle {\n wsfev1\n reverse_proxy localhost:9000\n }\n}\n", invented},
		"one path in two spellings":     {site("8080", "audit sqlite ./data/a.db", "wsfev1_backend") + site("8081", "audit sqlite data/a.db", "wsfev1_arca prod"), invented},
		"both environments":             {site("8080", "", "wsfev1_arca homo") + site("8081", "", "wsfev1_arca prod"), environments},
		"both environments, by address": {site("8080", "", "wsfev1_arca https://wswhomo.afip.gov.ar/wsfev1/service.asmx") + site("8081", "", "wsfev1_arca prod"), environments},
		"a trail each":                  {site("8080", "audit sqlite test.db", "wsfev1_backend") + site("8081", "", "wsfev1_arca prod"), ""},
		"one service, two sites":        {site("8080", "", "wsfev1_arca prod") + site("8081", "", "wsfev1_arca prod"), ""},
		"two addresses":                 {site("8080", "", "reverse_proxy localhost:9000") + site("8081", "", "reverse_proxy localhost:9001"), ""},
		"the built-in service twice":    {site("8080", "", "wsfev1_backend") + site("8081", "", "wsfev1_backend"), ""},
	} {
		err := validateCaddyfile(t, test.configuration)
		if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), "give each its own trail")) {
			t.Errorf("%s: %v, want %q", name, err, test.want)
		}
	}
}
