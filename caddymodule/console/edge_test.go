package console_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// hash is the hash of the tests' password.
const hash = "$2a$04$5fw81mL/1IchsnMN4rWMpOab0p5w5b0vrSJ7ymsjhbrYvYmzFFQKe"

// edge runs a configuration with a gateway and a console.
type edge struct {
	t       *testing.T
	console string
	gateway *caddytest.Site
}

// serve runs a gateway, and the site of the console as said: SITE stands for its address.
func serve(t *testing.T, site string, options ...string) *edge {
	t.Helper()
	s := caddytest.NewSite(t)
	p := &edge{t, "http://" + caddytest.FreeAddress(t), s}
	s.Load(s.Config(s.WithAudit(options...), caddytest.WithBackend(t)) + strings.ReplaceAll(site, "SITE", p.console))
	return p
}

const bound = " bind " // and the loopback address of these tests

func siteOf(inside string) string {
	return "SITE {\n" + bound + caddytest.Loopback + "\n " + inside + "\n}\n"
}

// open opens an address of the console's site.
func (p *edge) open(method, address string, change ...func(*http.Request)) caddytest.Response {
	p.t.Helper()
	r, err := http.NewRequestWithContext(p.t.Context(), method, p.console+address, nil)
	if err != nil {
		p.t.Fatal(err)
	}
	if method == http.MethodPost {
		r.Header.Set("Sec-Fetch-Site", "same-origin")
		r.Header.Set("Origin", "null") // so writes a browser whose page has the policy no-referrer
	}
	for _, f := range change {
		f(r)
	}
	transport := &http.Transport{DisableKeepAlives: true}
	client := &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	got, err := caddytest.TryWith(client, r)
	// While a configuration is replaced, the listener that goes resets the connections that it has not taken,
	// and its server closes one that it has just taken.
	for method == http.MethodGet && (errors.Is(err, syscall.ECONNRESET) || errors.Is(err, io.EOF)) {
		got, err = caddytest.TryWith(client, r)
	}
	if err != nil {
		p.t.Fatalf("%s %s: %v", method, address, err)
	}
	return got
}

func header(name, value string) func(*http.Request) {
	return func(r *http.Request) { r.Header.Set(name, value) }
}

func host(name string) func(*http.Request) { return func(r *http.Request) { r.Host = name } }

func as(user, password string) func(*http.Request) {
	return func(r *http.Request) { r.SetBasicAuth(user, password) }
}

// away makes the request look as if it came from another machine, through a trusted proxy.
var away = header("X-Forwarded-For", "192.0.2.7")

// TestReadersFromElsewhereAreRefused unless authentication in front knows them, or the console is public.
func TestReadersFromElsewhereAreRefused(t *testing.T) {
	s := caddytest.NewSite(t)
	config := s.Config(s.WithAudit(), "respond ok")
	var checks []func()
	for name, test := range map[string]struct {
		site    string
		trusted bool
		change  []func(*http.Request)
		want    int
	}{
		"this machine":                     {site: "wsfev1_console", want: 200},
		"by name":                          {site: "wsfev1_console", change: []func(*http.Request){host("localhost:2020")}, want: 200},
		"IPv6 by address":                  {site: "wsfev1_console", change: []func(*http.Request){host("[::1]:2020")}, want: 200},
		"IPv6 without a port":              {site: "wsfev1_console", change: []func(*http.Request){host("[::1]")}, want: 200},
		"a name that leads here":           {site: "wsfev1_console", change: []func(*http.Request){host("evil.example.com")}, want: 403},
		"a name that looks like here":      {site: "wsfev1_console", change: []func(*http.Request){host("localhost.example.com:2020")}, want: 403},
		"a number that looks like here":    {site: "wsfev1_console", change: []func(*http.Request){host("127.0.0.1.example.com")}, want: 403},
		"another machine":                  {site: "wsfev1_console", trusted: true, change: []func(*http.Request){away}, want: 403},
		"a proxy that nobody trusts":       {site: "wsfev1_console", change: []func(*http.Request){away}, want: 403},
		"a proxy that says otherwise":      {site: "wsfev1_console", change: []func(*http.Request){header("Forwarded", "for=192.0.2.7")}, want: 403},
		"a proxy with a single address":    {site: "wsfev1_console", change: []func(*http.Request){header("X-Real-Ip", "192.0.2.7")}, want: 403},
		"a trusted proxy for this machine": {site: "wsfev1_console", trusted: true, change: []func(*http.Request){header("X-Forwarded-For", "127.0.0.1")}, want: 403}, // which who asks may have written
		"a proxy without an address":       {site: "wsfev1_console", change: []func(*http.Request){header("X-Forwarded-Proto", "https")}, want: 403},
		"a tunnel":                         {site: "wsfev1_console", change: []func(*http.Request){header("Cf-Ray", "x")}, want: 403},
		"public, another machine":          {site: "wsfev1_console {\n public\n }", trusted: true, change: []func(*http.Request){away, host("consola.example.com")}, want: 200},
		"a user, another machine": {
			site: "basic_auth {\n contadora " + hash + "\n }\n wsfev1_console", trusted: true,
			change: []func(*http.Request){away, host("consola.example.com"), as("contadora", "example-only")}, want: 200,
		},
		"a wrong password": {
			site: "basic_auth {\n contadora " + hash + "\n }\n wsfev1_console", change: []func(*http.Request){as("contadora", "wrong")}, want: 401,
		},
		"no password": {site: "basic_auth {\n contadora " + hash + "\n }\n wsfev1_console", want: 401},
		"the option reader": {
			site: "wsfev1_console {\n reader {header.Remote-User}\n }", trusted: true, change: []func(*http.Request){away, header("Remote-User", "ana")}, want: 200,
		},
		"the option reader, nobody":   {site: "wsfev1_console {\n reader {header.Remote-User}\n }", trusted: true, change: []func(*http.Request){away}, want: 403},
		"a header without the option": {site: "wsfev1_console", trusted: true, change: []func(*http.Request){away, header("Remote-User", "ana")}, want: 403},
	} {
		address := caddytest.FreeAddress(t)
		if test.trusted {
			config = strings.Replace(config, "{\n", "{\n\tservers "+address+" {\n\t\ttrusted_proxies static 127.0.0.0/8\n\t}\n", 1)
		}
		config += strings.ReplaceAll(siteOf(test.site), "SITE", "http://:"+caddytest.PortOf(address))
		checks = append(checks, func() {
			got := (&edge{t, "http://" + address, s}).open(http.MethodGet, "/consola/search", test.change...)
			if got.Status != test.want {
				t.Errorf("%s: %d, want %d", name, got.Status, test.want)
			}
			if got.Status == http.StatusForbidden && (!strings.Contains(string(got.Body), "Sin permiso") || got.Header.Get("Content-Security-Policy") == "") {
				t.Errorf("%s: %v\n%s", name, got.Header, got.Body)
			}
		})
	}
	s.Load(config)
	for _, check := range checks {
		check()
	}
}

// TestForwardAuthNamesTheReader: Caddy does not, and what a browser sends under that name counts for nothing.
func TestForwardAuthNamesTheReader(t *testing.T) {
	login := caddytest.FreeAddress(t)
	p := serve(t, siteOf("forward_auth "+login+" {\n uri /who\n copy_headers Remote-User\n }\n wsfev1_console {\n reader {header.Remote-User}\n }")+
		"http://"+login+" {\n bind "+caddytest.Loopback+"\n @nobody header Cookie nobody\n handle @nobody {\n respond 200\n }\n handle {\n header Remote-User ana\n respond 200\n }\n}\n")
	away := host(strings.TrimPrefix(p.console, "http://"))
	if got := p.open(http.MethodGet, "/consola/search", away, header("Remote-User", "eva")); got.Status != http.StatusOK || !strings.Contains(string(got.Body), ">ana<") && !strings.Contains(string(got.Body), "ana</") {
		t.Errorf("%d %s", got.Status, got.Body)
	}
	got := p.open(http.MethodGet, "/consola/search", away, header("Remote-User", "eva"), header("Cookie", "nobody"))
	if strings.Contains(string(got.Body), "eva") {
		t.Errorf("the browser names its reader: %s", got.Body)
	}
}

// TestASocketIsThisMachine, unless somebody forwards through it.
func TestASocketIsThisMachine(t *testing.T) {
	folder, err := os.MkdirTemp("", "c") // the path of a socket is short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	socket := filepath.Join(folder, "s")
	s := caddytest.NewSite(t)
	s.Load(s.Config(s.WithAudit(), "respond ok") + "http:// {\n bind unix/" + socket + "\n wsfev1_console\n}\n")
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", socket)
	}}}
	for forwarded, want := range map[string]int{"": http.StatusOK, "192.0.2.7": http.StatusForbidden} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://localhost/consola/search", nil)
		if err != nil {
			t.Fatal(err)
		}
		if forwarded != "" {
			r.Header.Set("X-Forwarded-For", forwarded)
		}
		got, err := caddytest.TryWith(client, r)
		if err != nil || got.Status != want {
			t.Errorf("forwarded for %q: %d %v, want %d", forwarded, got.Status, err, want)
		}
	}
}
