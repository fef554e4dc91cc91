package caddymodule_test

import (
	"crypto/x509/pkix"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

const (
	openConsole = "nothing in front of it asks who they are"
	basicAuth   = "basic_auth {\n contadora " + hashOfExampleOnly + "\n }\n"
	clientAuth  = "tls FILE KEY {\n client_auth {\n mode MODE\n TRUST }\n }\n"
)

// forAll lets everybody who gets through the authentication see all.
func forAll(caddyfile string) string {
	return strings.ReplaceAll(caddyfile+"\n", "wsfev1_console\n", "wsfev1_console {\n readers *\n }\n")
}

// TestAConsoleThatAnybodyReachesIsRefused: other machines reach it, and nothing asks who the readers are.
func TestAConsoleThatAnybodyReachesIsRefused(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, caddyfile := range map[string]string{
		"localhost, on every address":          "http://localhost:8099 {\n wsfev1_console\n}",
		"with TLS":                             ":443 {\n wsfev1_console\n}",
		"bound to another address":             "http://:8099 {\n bind 192.0.2.7\n wsfev1_console\n}",
		"bound to every address":               "http://:8099 {\n bind 0.0.0.0\n wsfev1_console\n}",
		"bound to two, one of them open":       "http://:8099 {\n bind 127.0.0.1 192.0.2.7\n wsfev1_console\n}",
		"in handle":                            "http://:8099 {\n handle /consola/* {\n wsfev1_console\n }\n}",
		"in route":                             "http://:8099 {\n route {\n wsfev1_console\n }\n}",
		"in handle_path":                       "http://:8099 {\n handle_path /consola/* {\n wsfev1_console\n }\n}",
		"beside a gateway":                     "http://:8099 {\n wsfev1_console\n wsfev1\n wsfev1_backend\n}",
		"authentication behind it":             "http://:8099 {\n route {\n wsfev1_console\n " + basicAuth + " }\n}",
		"authentication in another handle":     "http://:8099 {\n handle /admin/* {\n " + basicAuth + " respond ok\n }\n handle {\n wsfev1_console\n }\n}",
		"authentication in another site":       "http://a.example.com:8099 {\n " + basicAuth + " respond ok\n}\nhttp://b.example.com:8099 {\n wsfev1_console\n}",
		"authentication at another port":       "http://:8098 {\n " + basicAuth + " wsfev1_console\n}\nhttp://:8099 {\n wsfev1_console\n}",
		"authentication in a terminal route":   "http://:8099 {\n route {\n @a path /a\n handle @a {\n " + basicAuth + " }\n handle {\n wsfev1_console\n }\n }\n}",
		"the second of two":                    "http://:8099 {\n handle /a/* {\n wsfev1_console {\n public\n }\n }\n handle {\n wsfev1_console\n }\n}",
		"the second of two, the first guarded": "http://a.example.com:8099 {\n " + basicAuth + " wsfev1_console\n}\nhttp://b.example.com:8099 {\n wsfev1_console\n}",
		"behind a proxy that only forwards":    "http://:8099 {\n route {\n reverse_proxy /x a.example.com\n wsfev1_console\n }\n}",
		"in a named route":                     "&(pages) {\n wsfev1_console\n}\nhttp://:8099 {\n invoke pages\n}",
		"in a named route within another":      "&(inner) {\n wsfev1_console\n}\n&(outer) {\n invoke inner\n}\nhttp://:8099 {\n handle /x/* {\n invoke outer\n }\n}",
		"in a named route, invoked twice":      "&(pages) {\n wsfev1_console\n}\nhttp://:8099 {\n handle /a/* {\n " + basicAuth + " invoke pages\n }\n handle /b/* {\n invoke pages\n }\n}",
		"in a named route that invokes itself": "&(pages) {\n invoke pages\n wsfev1_console\n}\nhttp://:8099 {\n invoke pages\n}",
		"behind a named route that asks not":   "&(who) {\n header X y\n}\nhttp://:8099 {\n route {\n invoke who\n wsfev1_console\n }\n}",
		"in a snippet":                         "(pages) {\n wsfev1_console\n}\nhttp://:8099 {\n import pages\n}",
		"where errors are handled":             "http://:8099 {\n " + basicAuth + " respond ok\n handle_errors {\n wsfev1_console\n }\n}",
		"in a matcher with not":                "http://:8099 {\n @other not path /x/*\n handle @other {\n wsfev1_console\n }\n}",
		"in intercept":                         "http://:8099 {\n intercept {\n handle_response {\n wsfev1_console\n }\n }\n respond ok\n}",
		"behind intercept":                     "http://:8099 {\n route {\n intercept {\n replace_status 200\n }\n wsfev1_console\n }\n}",
		"behind encode and headers":            "http://:8099 {\n encode\n header X y\n wsfev1_console\n}",
	} {
		if err := validateCaddyfile(t, forAll(caddyfile)); err == nil || !strings.Contains(err.Error(), openConsole) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestAConsoleThatSomebodyMayGuardIsTaken, as is one that only this machine reaches.
func TestAConsoleThatSomebodyMayGuardIsTaken(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, caddyfile := range map[string]string{
		"loopback":                         "http://localhost:8099 {\n bind 127.0.0.1\n wsfev1_console\n}",
		"loopback, IPv6":                   "http://localhost:8099 {\n bind [::1]\n wsfev1_console\n}",
		"loopback, by name":                "http://localhost:8099 {\n bind localhost\n wsfev1_console\n}",
		"loopback, both":                   "http://localhost:8099 {\n bind 127.0.0.1 [::1]\n wsfev1_console\n}",
		"a socket":                         "http:// {\n bind unix//" + filepath.ToSlash(t.TempDir()) + "/s\n wsfev1_console\n}",
		"public":                           "http://:8099 {\n wsfev1_console {\n public\n }\n}",
		"user and password":                "http://:8099 {\n " + basicAuth + " wsfev1_console\n}",
		"user and password, written last":  "http://:8099 {\n wsfev1_console\n " + basicAuth + "}",
		"user and password, of a path":     "http://:8099 {\n basic_auth /consola/* {\n contadora " + hashOfExampleOnly + "\n }\n wsfev1_console\n}",
		"user and password, in handle":     "http://:8099 {\n handle /consola/* {\n " + basicAuth + " wsfev1_console\n }\n}",
		"user and password, around it":     "http://:8099 {\n " + basicAuth + " handle /consola/* {\n wsfev1_console\n }\n}",
		"user and password, in route":      "http://:8099 {\n route {\n " + basicAuth + " wsfev1_console\n }\n}",
		"user and password, route before":  "http://:8099 {\n route {\n " + basicAuth + " }\n route {\n wsfev1_console\n }\n}",
		"user and password, handle_path":   "http://:8099 {\n handle_path /consola/* {\n " + basicAuth + " wsfev1_console\n }\n}",
		"each site its own":                "http://a.example.com:8099 {\n " + basicAuth + " wsfev1_console\n}\nhttp://b.example.com:8099 {\n " + basicAuth + " wsfev1_console\n}",
		"forward_auth":                     "http://:8099 {\n forward_auth a.example.com {\n uri /\n }\n wsfev1_console\n}",
		"a handler of somebody else":       "http://:8099 {\n route {\n test_early\n wsfev1_console\n }\n}",
		"a named route in front":           "&(who) {\n " + basicAuth + "}\nhttp://:8099 {\n route {\n invoke who\n wsfev1_console\n }\n}",
		"in a named route, in front of it": "&(pages) {\n wsfev1_console\n}\nhttp://:8099 {\n " + basicAuth + " invoke pages\n}",
		"in a named route that asks":       "&(pages) {\n " + basicAuth + " wsfev1_console\n}\nhttp://:8099 {\n invoke pages\n}",
		"in a snippet that asks":           "(pages) {\n " + basicAuth + " wsfev1_console\n}\nhttp://:8099 {\n import pages\n}",
		"in a named route nobody invokes":  "&(pages) {\n wsfev1_console\n}\nhttp://:8099 {\n @never path /never\n respond @never ok\n}",
		"an answer of the one that asks":   "http://:8099 {\n reverse_proxy a.example.com {\n @good status 2xx\n handle_response @good {\n wsfev1_console\n }\n }\n}",
		"several servers":                  "http://localhost:8098 {\n bind 127.0.0.1\n wsfev1_console\n}\nhttp://:8099 {\n " + basicAuth + " wsfev1_console\n}",
	} {
		if err := validateCaddyfile(t, forAll(caddyfile)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestAConsoleForOthersSaysWhatTheyMaySee: without rows it shows all, which is the default on loopback alone.
func TestAConsoleForOthersSaysWhatTheyMaySee(t *testing.T) {
	t.Chdir(t.TempDir())
	const unsaid = "nothing says which of them each reader may see: write a row reader <name>"
	row := "wsfev1 {\n reader desk {\n user contadora\n cuits *\n }\n }\n wsfev1_backend\n"
	if err := os.WriteFile("readers", []byte("reader desk user contadora cuits *\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		caddyfile string
		refused   bool
	}{
		"nothing":                        {"http://:8099 {\n " + basicAuth + " wsfev1_console\n}", true},
		"a gateway without rows":         {"http://:8099 {\n " + basicAuth + " wsfev1_console\n wsfev1\n wsfev1_backend\n}", true},
		"loopback":                       {"http://:8099 {\n bind 127.0.0.1\n " + basicAuth + " wsfev1_console\n}", false},
		"loopback and another":           {"http://:8099 {\n bind 127.0.0.1 192.0.2.7\n " + basicAuth + " wsfev1_console\n}", true},
		"public":                         {"http://:8099 {\n " + basicAuth + " wsfev1_console {\n public\n }\n}", false},
		"readers of the console":         {"http://:8099 {\n " + basicAuth + " wsfev1_console {\n readers *\n }\n}", false},
		"readers of the gateway":         {"http://:8099 {\n " + basicAuth + " wsfev1_console\n wsfev1 {\n readers *\n }\n wsfev1_backend\n}", false},
		"a row":                          {"http://:8099 {\n " + basicAuth + " wsfev1_console\n " + row + "}", false},
		"a row in a file":                {"http://:8099 {\n " + basicAuth + " wsfev1_console\n wsfev1 {\n clients readers\n }\n wsfev1_backend\n}", false},
		"a row in front of it":           {"http://:8099 {\n route /api/* {\n " + row + " }\n " + basicAuth + " route /consola/* {\n wsfev1_console\n }\n}", false},
		"a row in a site before":         {"http://:8098 {\n " + row + "}\nhttp://:8099 {\n " + basicAuth + " wsfev1_console\n}", false},
		"a row in a site behind":         {"http://:8099 {\n " + basicAuth + " wsfev1_console\n}\nhttp://:8100 {\n " + row + "}", false},
		"a row in a named route":         {"&(gate) {\n " + row + "}\nhttp://:8099 {\n " + basicAuth + " wsfev1_console\n invoke gate\n}", false},
		"the second of two consoles":     {"http://:8098 {\n bind 127.0.0.1\n wsfev1_console\n}\nhttp://:8099 {\n " + basicAuth + " wsfev1_console\n}", true},
		"readers of the other of two":    {"http://:8098 {\n bind 127.0.0.1\n wsfev1_console {\n readers *\n }\n}\nhttp://:8099 {\n " + basicAuth + " wsfev1_console {\n readers *\n }\n}", false},
		"readers of another console":     {"http://:8097 {\n " + basicAuth + " wsfev1_console {\n readers *\n }\n}\nhttp://:8099 {\n " + basicAuth + " wsfev1_console\n}", true},
		"a client row of a gateway only": {"http://:8099 {\n " + basicAuth + " wsfev1_console\n wsfev1 {\n client shop {\n user shop\n cuits *\n may *\n }\n }\n wsfev1_backend\n}", false},
	} {
		err := validateCaddyfile(t, test.caddyfile+"\n")
		if refused := err != nil && strings.Contains(err.Error(), unsaid); refused != test.refused || err != nil && !refused {
			t.Errorf("%s: %v", name, err)
		}
	}
	err := validateCaddyfile(t, "http://:8099 {\n "+basicAuth+" wsfev1_console {\n readers all\n }\n}\n")
	if err == nil || !strings.Contains(err.Error(), `readers "all": write readers *`) {
		t.Errorf("readers all: %v", err)
	}
}

// TestCertificatesGuardAConsoleIfTheyAreVerified: anybody can make one for themselves.
func TestCertificatesGuardAConsoleIfTheyAreVerified(t *testing.T) {
	ca := caddytest.NewEdgeAuthority(t)
	certificate, key := ca.Certify(t, pkix.Name{CommonName: "invoices"}, "invoices.example.com").Files(t)
	trust := "trust_pool file " + ca.File(t) + "\n"
	t.Chdir(t.TempDir())
	for _, test := range []struct {
		mode, trust string
		ok          bool
	}{{"require_and_verify", trust, true}, {"verify_if_given", trust, true}, {"", trust, true}, {"require", "", false}, {"request", "", false}} {
		text := strings.NewReplacer("FILE", certificate, "KEY", key, "mode MODE\n", map[bool]string{true: "", false: "mode " + test.mode + "\n"}[test.mode == ""],
			"TRUST", test.trust).Replace(clientAuth)
		err := validateCaddyfile(t, forAll("https://invoices.example.com:8443 {\n "+text+" wsfev1_console\n}"))
		if test.ok && err != nil || !test.ok && (err == nil || !strings.Contains(err.Error(), openConsole)) {
			t.Errorf("mode %q: %v", test.mode, err)
		}
	}
}

// TestTheConsoleComesBeforeTheGateway and behind encode and what authenticates, wherever it is written.
func TestTheConsoleComesBeforeTheGateway(t *testing.T) {
	adapted := adapt(t, "http://:8099 {\n\treverse_proxy a.example.com\n\twsfev1\n\twsfev1_console\n\tencode\n\tbasic_auth {\n\t\tcontadora "+hashOfExampleOnly+"\n\t}\n\tpush\n}\n", false)
	at := 0
	for _, name := range []string{"authentication", "encode", "wsfev1_console", "wsfev1", "push", "reverse_proxy"} {
		next := strings.Index(adapted, `"handler": "`+name+`"`)
		if next < at {
			t.Errorf("%s is at %d, behind %d:\n%s", name, next, at, adapted)
		}
		at = next
	}
}

// TestOptionsOfTheConsoleAreChecked when they are validated.
func TestOptionsOfTheConsoleAreChecked(t *testing.T) {
	folder := t.TempDir()
	t.Chdir(folder)
	key := filepath.Join(folder, "key")
	if err := os.WriteFile(key, []byte("short\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for option, want := range map[string]string{
		"path /":                      "give the path below which the pages are, such as /consola",
		"path consola":                "give the path below which the pages are, such as /consola",
		"path /a?b":                   "give the path below which the pages are",
		"path /{host}":                "give the path below which the pages are",
		"path //":                     "give the path below which the pages are",
		"path /a/":                    "",
		"path /facturas/consola":      "",
		"path /x/../consola":          "",
		"reader Remote-User":          "give a placeholder, such as {header.Remote-User}",
		"reader {header.Remote-User}": "",
		"encryption_key " + key:       "encryption_key is the key of a store that audit names",
		"audit sqlite a.db\n encryption_key " + key:                                "key",
		"audit sqlite a.db":                                                        "",
		"audit postgres postgres://reader:secret@db.example/x":                     "a password must not be in the configuration",
		"audit postgres postgres://reader@db.example/invoices?sslmode=verify-full": "",
	} {
		err := validateCaddyfile(t, "http://localhost:8099 {\n bind 127.0.0.1\n wsfev1_console {\n "+option+"\n }\n}\n")
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", option, err, want)
		}
	}
}
