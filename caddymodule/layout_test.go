package caddymodule_test

import (
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig"
)

// validateCaddyfile does what `fielato validate` does.
func validateCaddyfile(t *testing.T, caddyfile string) error {
	t.Helper()
	adapted, _, err := caddyconfig.GetAdapter("caddyfile").Adapt([]byte(caddyfile), map[string]any{"filename": "Caddyfile"})
	if err != nil {
		t.Fatalf("%v\n%s", err, caddyfile)
	}
	config := new(caddy.Config)
	if err := caddy.StrictUnmarshalJSON(adapted, &config); err != nil {
		t.Fatal(err)
	}
	return caddy.Validate(config)
}

const (
	nothingBehind = "no handler stands behind wsfev1"
	two           = "both wsfev1_backend and reverse_proxy stand behind wsfev1, and only the first, "
	loginBehind   = "wsfev1_wsaa stands behind "
	itself        = "behind wsfev1 is the gateway itself"
)

// TestRoutesThatCannotWorkAreRefused when they are validated, not at the first invoice.
func TestRoutesThatCannotWorkAreRefused(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, test := range map[string]struct{ caddyfile, want string }{
		"alone":                       {"http://localhost:8080 {\n wsfev1\n}", nothingBehind},
		"alone without a host":        {"http://:8080 {\n wsfev1\n}", nothingBehind},
		"alone in route":              {"http://localhost:8080 {\n route {\n wsfev1\n }\n}", nothingBehind},
		"only middleware behind":      {"http://localhost:8080 {\n route {\n wsfev1\n encode\n header X y\n }\n}", nothingBehind},
		"the login service alone":     {"http://localhost:8080 {\n wsfev1_wsaa\n wsfev1\n}", nothingBehind},
		"the login service behind":    {"http://localhost:8080 {\n route {\n wsfev1\n wsfev1_wsaa\n }\n}", nothingBehind},
		"itself, with a login":        {"http://localhost:8080 {\n wsfev1_wsaa\n wsfev1\n reverse_proxy localhost:8080\n}", itself},
		"the service in front":        {"http://localhost:8080 {\n route {\n reverse_proxy /x a.example.com\n wsfev1\n }\n}", nothingBehind},
		"the service in another site": {"http://a.example.com:8080 {\n wsfev1\n}\nhttp://b.example.com:8080 {\n reverse_proxy c.example.com\n}", nothingBehind},
		"the service in another handle": {
			"http://localhost:8080 {\n handle /api/* {\n wsfev1\n }\n handle {\n reverse_proxy a.example.com\n }\n}", nothingBehind,
		},
		"imported": {"(g) {\n wsfev1\n}\nhttp://localhost:8080 {\n import g\n}", nothingBehind},
		"two gateways alone": {
			"http://localhost:8080 {\n route {\n wsfev1\n encode\n wsfev1\n }\n}", nothingBehind,
		},
		"a gateway behind":                      {"http://localhost:8080 {\n wsfev1\n handle {\n wsfev1\n wsfev1_backend\n }\n}", "a second wsfev1 with the same trail"},
		"respond behind":                        {"http://localhost:8080 {\n wsfev1\n respond 204\n reverse_proxy a.example.com\n}", "answers in its place"},
		"the login service behind the gateway":  {"http://localhost:8080 {\n route {\n wsfev1\n wsfev1_wsaa\n wsfev1_backend\n }\n}", loginBehind + "wsfev1, which"},
		"the login service behind the service":  {"http://localhost:8080 {\n route {\n wsfev1_backend\n wsfev1_wsaa\n }\n}", loginBehind + "wsfev1_backend, which"},
		"the login service behind the route":    {"http://localhost:8080 {\n route {\n route {\n wsfev1\n }\n wsfev1_wsaa\n wsfev1_backend\n }\n}", loginBehind + "wsfev1, which"},
		"the login service on its path behind":  {"http://localhost:8080 {\n route {\n wsfev1\n wsfev1_wsaa /ws/*\n reverse_proxy a.example.com\n }\n}", loginBehind},
		"the login service behind, in a handle": {"http://localhost:8080 {\n handle /x/* {\n route {\n wsfev1\n wsfev1_wsaa\n wsfev1_backend\n }\n }\n}", loginBehind},
		"both services":                         {"http://localhost:8080 {\n wsfev1\n wsfev1_backend\n reverse_proxy a.example.com\n}", two + "wsfev1_backend"},
		"both services in route": {
			"http://localhost:8080 {\n route {\n wsfev1\n reverse_proxy a.example.com\n wsfev1_backend\n }\n}", two + "reverse_proxy",
		},
		"itself":                  {"http://localhost:8080 {\n wsfev1\n reverse_proxy localhost:8080\n}", "localhost:8080 " + itself},
		"itself by address":       {"http://localhost:8080 {\n wsfev1\n reverse_proxy 127.0.0.1:8080\n}", itself},
		"itself by IPv6":          {"http://:8080 {\n wsfev1\n reverse_proxy [::1]:8080\n}", itself},
		"itself, bound":           {"http://localhost:8080 {\n bind 127.0.0.1\n wsfev1\n reverse_proxy localhost:8080\n}", itself},
		"itself, port alone":      {"http://localhost:8080 {\n wsfev1\n reverse_proxy :8080\n}", itself},
		"itself among others":     {"http://localhost:8080 {\n wsfev1\n reverse_proxy a.example.com localhost:8080\n}", itself},
		"itself with Host":        {"http://localhost:8080 {\n wsfev1\n reverse_proxy localhost:8080 {\n header_up Host {upstream_hostport}\n }\n}", itself},
		"itself, any host":        {"http://:8080 {\n wsfev1\n reverse_proxy localhost:8080 {\n header_up Host {upstream_hostport}\n }\n}", itself},
		"itself, port 80":         {"http://localhost {\n wsfev1\n reverse_proxy localhost\n}", itself},
		"itself, a Unix socket":   {"http://localhost {\n bind unix//run/x.sock\n wsfev1\n reverse_proxy unix//run/x.sock\n}", itself},
		"itself on a path":        {"http://localhost:8080 {\n handle /api/* {\n wsfev1\n reverse_proxy localhost:8080\n }\n respond 404\n}", itself},
		"itself in HTTPS":         {"{\n storage file_system .\n}\nhttps://localhost:8443 {\n wsfev1\n reverse_proxy https://localhost:8443\n}", itself},
		"itself, beside metrics":  {"http://localhost:8080 {\n wsfev1\n reverse_proxy localhost:8080\n}\nhttp://localhost:9180 {\n metrics\n}", itself},
		"itself, beside another":  {"http://localhost:8080 {\n wsfev1\n reverse_proxy localhost:8080\n}\nhttp://other:8080 {\n wsfev1_backend\n}", itself},
		"itself through IPv4 any": {"http://localhost:8080 {\n bind 0.0.0.0\n wsfev1\n reverse_proxy 127.0.0.1:8080\n}", itself},
	} {
		if err := validateCaddyfile(t, test.caddyfile+"\n"); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %s", name, err, test.want)
		}
	}
}

// TestRoutesThatMayWorkAreTaken, among them all that cannot be judged.
func TestRoutesThatMayWorkAreTaken(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, caddyfile := range map[string]string{
		"built in":      "http://localhost:8080 {\n wsfev1\n wsfev1_backend\n}",
		"forwarded":     "http://localhost:8080 {\n wsfev1\n reverse_proxy a.example.com\n}",
		"handle behind": "http://localhost:8080 {\n wsfev1\n handle /api/* {\n wsfev1_backend\n }\n handle {\n reverse_proxy a.example.com\n }\n}",
		"two by path":   "http://localhost:8080 {\n wsfev1\n wsfev1_backend /api/*\n reverse_proxy a.example.com\n}",
		"each in its handle": "http://localhost:8080 {\n handle /a/* {\n wsfev1 {\n audit sqlite test.db\n }\n wsfev1_backend\n }\n" +
			" handle {\n wsfev1\n reverse_proxy a.example.com\n }\n}",
		"behind the route around it":        "http://localhost:8080 {\n route {\n wsfev1\n }\n reverse_proxy a.example.com\n}",
		"a gateway behind, with its trail":  "http://localhost:8080 {\n wsfev1\n handle {\n wsfev1 {\n audit sqlite own.db\n }\n wsfev1_backend\n }\n}",
		"a gateway behind, on a path":       "http://localhost:8080 {\n wsfev1\n handle /x/* {\n wsfev1\n wsfev1_backend\n }\n handle {\n wsfev1_backend\n }\n}",
		"respond on a path behind":          "http://localhost:8080 {\n wsfev1\n respond /status 200\n wsfev1_backend\n}",
		"a ledger beside the trail":         "http://localhost:8080 {\n wsfev1 {\n audit sqlite a.db\n }\n wsfev1_backend {\n ledger sqlite b.db\n }\n}",
		"a named route behind":              "&(service) {\n wsfev1_backend\n}\nhttp://localhost:8080 {\n wsfev1\n route {\n invoke service\n }\n}",
		"a gateway in a named route":        "&(gate) {\n wsfev1\n}\nhttp://localhost:8080 {\n route {\n invoke gate\n reverse_proxy a.example.com\n }\n}",
		"respond behind":                    "http://localhost:8080 {\n wsfev1\n respond 204\n}",
		"intercept":                         "http://localhost:8080 {\n route {\n wsfev1\n intercept {\n @x status 200\n handle_response @x {\n respond ok\n }\n }\n }\n}",
		"another port":                      "http://localhost:8080 {\n wsfev1\n reverse_proxy localhost:9000\n}\nhttp://localhost:9000 {\n wsfev1_backend\n}",
		"another name at the port":          "http://gate:8080 {\n wsfev1\n reverse_proxy localhost:8080 {\n header_up Host inner\n }\n}\nhttp://inner:8080 {\n wsfev1_backend\n}",
		"the upstream's name":               "http://gate:8080 {\n wsfev1\n reverse_proxy localhost:8080 {\n header_up Host {upstream_hostport}\n }\n}\nhttp://localhost:8080 {\n wsfev1_backend\n}",
		"by the client":                     "http://:8080 {\n @l remote_ip 127.0.0.1\n handle @l {\n wsfev1_backend\n }\n handle {\n wsfev1\n reverse_proxy localhost:8080\n }\n}",
		"rewritten":                         "http://:8080 {\n handle /in/* {\n wsfev1_backend\n }\n handle {\n wsfev1\n reverse_proxy localhost:8080 {\n rewrite /in{uri}\n }\n }\n}",
		"rewritten in front":                "http://:8080 {\n handle /in/* {\n wsfev1_backend\n }\n handle_path /out/* {\n wsfev1\n reverse_proxy localhost:8080\n }\n}",
		"dynamic":                           "http://:8080 {\n wsfev1\n reverse_proxy {\n dynamic a localhost 8080\n }\n}",
		"a placeholder":                     "http://:8080 {\n wsfev1\n reverse_proxy {header.X-To}\n}",
		"forward_auth behind":               "http://:8080 {\n route {\n wsfev1\n forward_auth a.example.com {\n uri /\n }\n wsfev1_backend\n }\n}",
		"another machine's own port":        "http://localhost:8080 {\n wsfev1\n reverse_proxy 192.0.2.77:8080\n}",
		"another loopback":                  "http://localhost:8080 {\n bind 127.0.0.1\n wsfev1\n reverse_proxy 127.0.0.2:8080\n}",
		"the site's own name":               "http://invoices.example.com {\n wsfev1\n reverse_proxy invoices.example.com\n}",
		"a login service":                   "http://localhost:8080 {\n wsfev1_wsaa\n wsfev1\n wsfev1_backend\n}",
		"a login service behind a path":     "http://localhost:8080 {\n route {\n wsfev1 /api/*\n wsfev1_wsaa\n wsfev1_backend\n }\n}",
		"a login service behind a handle":   "http://localhost:8080 {\n route {\n route /api/* {\n wsfev1\n wsfev1_backend\n }\n wsfev1_wsaa\n }\n}",
		"a login service in another handle": "http://localhost:8080 {\n handle /api/* {\n wsfev1\n wsfev1_backend\n }\n handle {\n wsfev1_wsaa\n }\n}",
		"a login service in another site":   "http://a.example.com:8080 {\n wsfev1\n wsfev1_backend\n}\nhttp://b.example.com:8080 {\n wsfev1_wsaa\n respond 404\n}",
		"no gateway":                        "http://localhost:8080 {\n encode\n}",
		"the built-in service, alone":       "http://localhost:8080 {\n wsfev1_backend\n}",
	} {
		if err := validateCaddyfile(t, caddyfile+"\n"); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
