package login_test

import (
	"bytes"
	"encoding/base64"
	"net/http"
	"strings"
	"testing"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/internal/wsaatest"
)

func with(name, value string) func(*http.Request) {
	return func(r *http.Request) { r.Header.Set(name, value) }
}

func without(name string) func(*http.Request) {
	return func(r *http.Request) { r.Header.Del(name) }
}

func method(name string) func(*http.Request) {
	return func(r *http.Request) { r.Method = name }
}

// TestTheFormsOfARequest: the forms that clients send, and the details that the service minds.
func TestTheFormsOfARequest(t *testing.T) {
	s := caddytest.Start(t, services(t.TempDir()))
	login := message(t, wsaatest.NewClient(t, wsaatest.Spec{}))
	twelve := strings.ReplaceAll(login, "http://schemas.xmlsoap.org/soap/envelope/", "http://www.w3.org/2003/05/soap-envelope")
	const media12 = "application/soap+xml; charset=utf-8"
	for name, test := range map[string]struct {
		body   string
		change []func(*http.Request)
		media  string
	}{
		"usual":                          {login, nil, "text/xml;charset=utf-8"},
		"action of the manual":           {login, []func(*http.Request){with("SOAPAction", "urn:LoginCms")}, "text/xml;charset=utf-8"},
		"an empty action":                {login, []func(*http.Request){with("SOAPAction", "")}, "text/xml;charset=utf-8"},
		"two single quotes":              {login, []func(*http.Request){with("SOAPAction", "''")}, "text/xml;charset=utf-8"},
		"SOAP 1.2":                       {twelve, []func(*http.Request){with("Content-Type", media12), without("SOAPAction")}, "application/soap+xml;charset=UTF-8"},
		"SOAP 1.2 as text, with action":  {twelve, nil, "application/soap+xml;charset=UTF-8"},
		"SOAP 1.2 with both":             {twelve, []func(*http.Request){with("Content-Type", media12+`; action=""`)}, "application/soap+xml;charset=UTF-8"},
		"SOAP 1.1 under the type of 1.2": {login, []func(*http.Request){with("Content-Type", media12), without("SOAPAction")}, "text/xml;charset=utf-8"},
		"no media type":                  {login, []func(*http.Request){without("Content-Type")}, "text/xml;charset=utf-8"},
		"to the address of the WSDL":     {login, []func(*http.Request){func(r *http.Request) { r.URL.RawQuery = "WSDL" }}, "text/xml;charset=utf-8"},
	} {
		got := post(s, test.body, test.change...)
		if got.Header.Get("Content-Type") != test.media || got.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: %v", name, got.Header)
		}
		granted(t, got)
	}
}

// TestWhatIsNoLogin: faults of the framework, and statuses of HTTP.
func TestWhatIsNoLogin(t *testing.T) {
	s := caddytest.Start(t, services(t.TempDir()))
	login := message(t, wsaatest.NewClient(t, wsaatest.Spec{}))
	head, _, _ := strings.Cut(login, "<w:in0>")
	for name, test := range map[string]struct {
		body   string
		change []func(*http.Request)
		want   string
	}{
		"no action":           {login, []func(*http.Request){without("SOAPAction")}, "Client.NoSOAPAction"},
		"no action, no XML":   {"x", []func(*http.Request){without("SOAPAction")}, "Client.NoSOAPAction"},
		"no XML":              {"x", nil, "Server.userException"},
		"compressed":          {"\x1f\x8b\x08", []func(*http.Request){with("Content-Encoding", "gzip")}, "Server.userException"},
		"no in0":              {head + "</w:loginCms></soapenv:Body></soapenv:Envelope>", nil, "Server.userException"},
		"an empty in0":        {wsaatest.Envelope(""), nil, "cms.bad.base64"},
		"hello":               {wsaatest.Envelope(base64.StdEncoding.EncodeToString([]byte("hello"))), nil, "cms.bad"},
		"hello in SOAP 1.2":   {strings.ReplaceAll(wsaatest.Envelope("aGVsbG8="), "http://schemas.xmlsoap.org/soap/envelope/", "http://www.w3.org/2003/05/soap-envelope"), nil, "cms.bad"},
		"larger than a login": {wsaatest.Envelope(strings.Repeat("A", 200<<10)), nil, "cms.bad"},
	} {
		if code := fault(t, post(s, test.body, test.change...)); code != test.want {
			t.Errorf("%s: %s, want %s", name, code, test.want)
		}
	}
	if got := post(s, wsaatest.Envelope(strings.Repeat("A", 256<<10))); got.Status != 413 {
		t.Errorf("too large: %d %s", got.Status, got.Body)
	}
	for _, name := range []string{"PUT", "DELETE", "OPTIONS", "PATCH"} {
		if got := post(s, login, method(name)); got.Status != 405 || got.Header.Get("Allow") != "GET, HEAD, POST" {
			t.Errorf("%s: %d %v", name, got.Status, got.Header)
		}
	}
}

// TestOtherPathsAreNotItsOwn: they reach what stands behind.
func TestOtherPathsAreNotItsOwn(t *testing.T) {
	s := caddytest.NewSite(t)
	s.Load("{\n admin off\n persist_config off\n}\n" + s.URL + " {\n bind " + caddytest.Loopback + "\n wsfev1_wsaa {\n key " + t.TempDir() + "/k.key\n }\n respond behind 418\n}\n")
	for _, path := range []string{"/", "/ws/services/logincms", "/ws/services/LoginCms/", "/ws/services", "/api/wsfev1/FEDummy"} {
		r, err := http.NewRequest(http.MethodPost, s.URL+path, strings.NewReader("x"))
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Do(r); got.Status != 418 || string(got.Body) != "behind" {
			t.Errorf("%s: %d %s", path, got.Status, got.Body)
		}
	}
}

// TestTheDescription sends clients to the address by which they came.
func TestTheDescription(t *testing.T) {
	folder := t.TempDir()
	s := caddytest.NewSite(t)
	load := func(global, options string) {
		s.URL = "http://" + caddytest.FreeAddress(t)
		s.Load("{\n admin off\n persist_config off\n " + global + "\n}\nhttp://:" + caddytest.PortOf(s.URL) + " {\n bind " + caddytest.Loopback +
			"\n wsfev1_wsaa {\n key " + folder + "/k.key\n " + options + "\n }\n respond behind 418\n}\n")
	}
	location := func(path string, change ...func(*http.Request)) string {
		got := get(s, path, change...)
		_, rest, _ := strings.Cut(string(got.Body), `location="`)
		address, _, _ := strings.Cut(rest, `"`)
		if got.Status != 200 || got.Header.Get("Content-Type") != "text/xml;charset=utf-8" || got.Header.Get("ETag") == "" {
			t.Errorf("%s: %d %v", path, got.Status, got.Header)
		}
		return address
	}
	host := func(name string) func(*http.Request) { return func(r *http.Request) { r.Host = name } }
	forwarded := []func(*http.Request){with("X-Forwarded-Proto", "https,http"), with("X-Forwarded-Host", "wsaa.afip.gov.ar, inner")}
	load("", "")
	for path, want := range map[string]string{
		"/ws/services/LoginCms?wsdl": s.URL, "/ws/services/LoginCms?WSDL": s.URL, "/ws/services/LoginCms?a=b&Wsdl=1": s.URL,
	} {
		if got := location(path); got != want+"/ws/services/LoginCms" {
			t.Errorf("%s: %s", path, got)
		}
	}
	if got := location("/ws/services/LoginCms?wsdl", host("wsaahomo.afip.gov.ar")); got != "http://wsaahomo.afip.gov.ar/ws/services/LoginCms" {
		t.Error(got)
	}
	if got := location("/ws/services/LoginCms?wsdl", forwarded...); got != s.URL+"/ws/services/LoginCms" {
		t.Errorf("a proxy that is not trusted: %s", got)
	}
	page := get(s, "/ws/services/LoginCms")
	if page.Status != 200 || !bytes.Contains(page.Body, []byte("Hi there, this is an AXIS service!")) || page.Header.Get("Content-Type") != "text/html; charset=utf-8" {
		t.Errorf("%d %s", page.Status, page.Body)
	}
	first := get(s, "/ws/services/LoginCms?wsdl")
	if again := get(s, "/ws/services/LoginCms?wsdl", with("If-None-Match", first.Header.Get("ETag"))); again.Status != 304 {
		t.Errorf("the same again: %d", again.Status)
	}
	if head := get(s, "/ws/services/LoginCms?wsdl", method("HEAD")); head.Status != 200 || len(head.Body) != 0 {
		t.Errorf("HEAD: %d %s", head.Status, head.Body)
	}
	load("servers {\n trusted_proxies static 127.0.0.0/8\n }", "")
	if got := location("/ws/services/LoginCms?wsdl", forwarded...); got != "https://wsaa.afip.gov.ar/ws/services/LoginCms" {
		t.Errorf("a trusted proxy: %s", got)
	}
	load("", "public_url https://wsaahomo.afip.gov.ar/")
	if got := location("/ws/services/LoginCms?wsdl", forwarded...); got != "https://wsaahomo.afip.gov.ar/ws/services/LoginCms" {
		t.Errorf("public_url: %s", got)
	}
}
