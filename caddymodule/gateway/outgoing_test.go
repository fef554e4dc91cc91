package gateway_test

import (
	"fmt"
	"net"
	"net/http"
	"net/http/fcgi"
	"path/filepath"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2"
	_ "github.com/caddyserver/caddy/v2/modules/caddyhttp/reverseproxy/fastcgi"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// rewriting are headers by which some framework, server or proxy takes another path, method,
// host, script or file than the request has.
var rewriting = []string{
	"X-Original-URL", "X-Original-Uri", "X-Original-Path", "X-Original-Method", "X-Original-Host", "X-Rewrite-URL", "X-Rewrite-Uri",
	"X-Override-URL", "X-Real-Uri", "X-Request-Uri", "Request-Uri", "X-Requesturi", "X-Uri", "Uri", "Url", "Base-Url", "X-Proxy-Url", "Http-Url",
	"X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override", "X-Method", "X-Http-Verb", "_method", "X-HTTP-Path-Override", "X-HTTP-DestinationURL",
	"X-Forwarded-Uri", "X-Forwarded-Url", "X-Forwarded-Path", "X-Forwarded-Prefix", "X-Forwarded-Method", "X-Forwarded-Server", "Forwarded",
	"X-Host", "X-Original-Host", "X-HTTP-Host-Override", "X-Forwarded-Host-Override", "X-Envoy-Original-Path", "X-Envoy-Original-Host", "X-Nginx-Original-Uri",
	"X-Script-Name", "Script-Name", "X-Path-Info", "Path-Info", "X-Accel-Redirect", "X-Accel-Mapping", "X-Sendfile", "X-Sendfile-Type", "X-Lighttpd-Send-File",
	"X-Reproxy-URL", "Soapaction", "X-Soap-Action", "X-Action", "X-Amz-Target", "X-Route", "Destination", "Content-Location", "Proxy", "Proxy-Host",
	"X-HTTP_METHOD_OVERRIDE", "X.Original.URL", "Content-Encoding-X", "Content-Range", "Range", "If-Match", "If-None-Match", "If-Modified-Since",
	"Content-Disposition", "Te", "Trailer", "Keep-Alive", "Proxy-Connection", "X-Idempotency-Key", "Idempotency-Key", "Incremental",
	"Wsfev1-Record", "wsfev1-outcome", "WSFEV1-Anything", "X-Wsfev1-Operation",
}

// TestHeadersThatRewriteARequestAreNotForwarded, whatever their value.
func TestHeadersThatRewriteARequestAreNotForwarded(t *testing.T) {
	m := newManyReaders(t)
	s := caddytest.Start(t, caddytest.ProxyTo(m.URL))
	for _, name := range rewriting {
		for _, value := range []string{"/api/wsfev1/FECAEASolicitar", "GET", "bytes=0-1"} {
			got := m.exchange(t, s, "POST /api/wsfev1/FECAEAConsultar", name+": "+value+"\r\n")
			if got.Status != 200 || m.path != "/api/wsfev1/FECAEAConsultar" {
				t.Errorf("%s: %d %s, the service got %s", name, got.Status, got.Body, m.path)
			}
			for given, values := range m.head.Header {
				if strings.EqualFold(given, name) || values[0] == value {
					t.Errorf("the service got %s: %v", given, values)
				}
			}
		}
	}
}

// TestHeadersThatNameAnotherOperationAreNotForwarded, whatever they are called and however it is
// written.
func TestHeadersThatNameAnotherOperationAreNotForwarded(t *testing.T) {
	m := newManyReaders(t)
	s := caddytest.Start(t, caddytest.ProxyTo(m.URL))
	for _, header := range []string{
		"X-Op: FECAEASolicitar", "X-Op: fecaeasolicitar", "X-Op: /a/FECAEASolicitar?x", "X-Op: %46ECAEASolicitar", "X-Op: FECAEA%2553olicitar",
		"X-Op: %zzFECAEA%53olicitar", "X-Op: a\r\nX-Op: FECAEASolicitar", "X-FECAEASolicitar: 1", "Referer: https://x/FECAEASolicitar", "Cookie: op=FECAEASolicitar",
		"User-Agent: FECAEASolicitar", "Authorization: FECAEASolicitar", "Accept: FECAEASolicitar",
	} {
		if got := m.exchange(t, s, "POST /api/wsfev1/FECAEAConsultar", header+"\r\n"); got.Status != 200 {
			t.Errorf("%s: %d", header, got.Status)
		}
		name, _, _ := strings.Cut(header, ":")
		if m.head == nil || name != "User-Agent" && m.head.Header.Get(name) != "" {
			t.Errorf("%q has passed", header)
		}
	}
}

// TestHeadersThatTheServiceMayWantAreForwarded, as they are; the gateway writes the headers of the body.
func TestHeadersThatTheServiceMayWantAreForwarded(t *testing.T) {
	m := newManyReaders(t)
	s := caddytest.Start(t, "request_header X-Company 7\n "+caddytest.ProxyTo(m.URL, "header_up X-Forwarded-Prefix /facturas"))
	kept := map[string]string{
		"Authorization": "Bearer of-the-service", "User-Agent": "erp/1 FECAEAConsultar", "X-Request-Id": "4711", "Traceparent": "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
		"Tracestate": "a=b", "Baggage": "op=FECAEAConsultar", "X-B3-Traceid": "1", "X-Api-Key": "k", "Apikey": "k", "X-Tenant": "t", "X-Tenant-Id": "t", "Cookie": "a=b", "Accept": "application/json",
		"Accept-Language": "es-AR", "X-Correlation-Id": "c", "X-Forwarded-User": "u", "X-Real-Ip": "192.0.2.1", "Origin": "https://erp.example", "Referer": "https://erp.example/x",
		"Cache-Control": "no-cache", "X-Security-Context": "s", "X-Transaction-Id": "9", "Content-Digest": "sha-256=:x:", "Date": "Thu, 20 Nov 2026 12:00:00 GMT",
	}
	var header strings.Builder
	for name, value := range kept {
		fmt.Fprintf(&header, "%s: %s\r\n", name, value)
	}
	got := m.exchange(t, s, "POST /api/wsfev1/FECAEAConsultar", header.String())
	if got.Status != 200 {
		t.Fatalf("%d %s", got.Status, got.Body)
	}
	kept["X-Company"], kept["X-Forwarded-Prefix"], kept["Content-Type"] = "7", "/facturas", "application/json"
	kept["Content-Length"], kept["X-Forwarded-For"], kept["X-Forwarded-Proto"] = fmt.Sprint(len(caeaBody)), "127.0.0.1", "http"
	kept["X-Forwarded-Host"] = strings.TrimPrefix(s.URL, "http://")
	for name, value := range kept {
		if values := m.head.Header.Values(name); len(values) != 1 || values[0] != value {
			t.Errorf("%s: the service got %q, want %q", name, values, value)
		}
	}
	if m.head.Method != http.MethodPost || m.head.Host != strings.TrimPrefix(s.URL, "http://") {
		t.Errorf("%s for %s", m.head.Method, m.head.Host)
	}
}

// TestMediaTypeIsTheGatewaysOwn: the client's media type has been judged, and is not repeated.
func TestMediaTypeIsTheGatewaysOwn(t *testing.T) {
	upstream := caddytest.NewStub(t, caddytest.Answering(200, caddytest.Approval))
	s := caddytest.Start(t, caddytest.ProxyTo(upstream.URL))
	r := s.Request(t.Context(), "FECAESolicitar", caddytest.Invoice(1))
	r.Header.Set("Content-Type", `application/json ; CharSet="utf-8"; profile=x`)
	s.Do(r)
	if _, header := upstream.Last(); header.Get("Content-Type") != "application/json" {
		t.Errorf("the service got %q", header.Values("Content-Type"))
	}
}

// startAs runs a gateway as the Caddyfile says.
func startAs(t *testing.T, caddyfile func(*caddytest.Site) string) *caddytest.Site {
	t.Helper()
	s := &caddytest.Site{
		T: t, Store: filepath.Join(t.TempDir(), "audit.db"),
		URL: "http://" + caddytest.FreeAddress(t), Metrics: "http://" + caddytest.FreeAddress(t),
	}
	t.Cleanup(func() {
		if err := caddy.Stop(); err != nil {
			t.Errorf("stopping: %v", err)
		}
	})
	s.Load(caddyfile(s))
	return s
}

// TestRewritesOfTheOperatorAreHis: what stands before the gateway decides what it sees, what
// stands behind it where the request goes.
func TestRewritesOfTheOperatorAreHis(t *testing.T) {
	for name, way := range map[string]struct{ before, behind, sent, got string }{
		"handle_path":             {"handle_path /empresa/*", "", "/empresa/api/wsfev1/FECAEAConsultar", "/api/wsfev1/FECAEAConsultar"},
		"strip_prefix":            {"uri strip_prefix /empresa", "", "/empresa/v1/api/wsfev1/FECAEAConsultar", "/v1/api/wsfev1/FECAEAConsultar"},
		"rewrite":                 {"rewrite /consulta /api/wsfev1/FECAEAConsultar", "", "/consulta", "/api/wsfev1/FECAEAConsultar"},
		"a base that is escaped":  {"uri strip_prefix /mi%20empresa", "", "/mi%20empresa/api/wsfev1/FECAEAConsultar", "/api/wsfev1/FECAEAConsultar"},
		"rewrite behind":          {"", "rewrite /interno{uri}?k=1", "/api/wsfev1/FECAEAConsultar", "/interno/api/wsfev1/FECAEAConsultar?k=1"},
		"rewrite before, behind":  {"uri strip_prefix /a", "rewrite /b{path}", "/a/api/wsfev1/FECAEAConsultar", "/b/api/wsfev1/FECAEAConsultar"},
		"another method, header":  {"", "method PUT\n header_up X-HTTP-Method-Override POST", "/api/wsfev1/FECAEAConsultar", "/api/wsfev1/FECAEAConsultar"},
		"the original behind it":  {"uri strip_prefix /a", "rewrite {http.request.orig_uri}", "/a/api/wsfev1/FECAEAConsultar", "/a/api/wsfev1/FECAEAConsultar"},
		"a name of another place": {"rewrite * /api/wsfev1/FECAEAConsultar", "", "/api/wsfev1/FECAEASolicitar", "/api/wsfev1/FECAEAConsultar"},
	} {
		t.Run(name, func(t *testing.T) {
			m := newManyReaders(t)
			s := startAs(t, func(s *caddytest.Site) string {
				config := s.Config(s.Audit(), caddytest.ProxyTo(m.URL, way.behind))
				if strings.HasPrefix(way.before, "handle_path") {
					config = strings.Replace(config, "\n\t}\n}\n", "\n\t}\n\t}\n}\n", 1) // the end of what comes next
					return strings.Replace(config, "\twsfev1 {", "\t"+way.before+" {\n\twsfev1 {", 1)
				}
				return strings.Replace(config, "\twsfev1 {", "\t"+way.before+"\n\twsfev1 {", 1)
			})
			if got := m.exchange(t, s, "POST "+way.sent, ""); got.Status != 200 || m.path != way.got {
				t.Errorf("%d %s, the service got %s, want %s", got.Status, got.Body, m.path, way.got)
			}
		})
	}
}

// TestFastCGIGetsTheAddressThatWasJudged: its REQUEST_URI is the request's as Caddy knows it from
// before all rewriting.
func TestFastCGIGetsTheAddressThatWasJudged(t *testing.T) {
	listener, err := net.Listen("tcp", caddytest.FreeAddress(t))
	if err != nil {
		t.Fatal(err)
	}
	got := make(chan *http.Request, 1)
	served := make(chan struct{})
	go func() {
		defer close(served)
		_ = fcgi.Serve(listener, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			got <- r
			caddytest.Answering(200, `{"Errors":{"Err":[{"Code":602,"Msg":"No existen datos"}]}}`)(w, r)
		}))
	}()
	t.Cleanup(func() { listener.Close(); <-served })
	s := startAs(t, func(s *caddytest.Site) string {
		return strings.Replace(s.Config(s.Audit(), caddytest.ProxyTo(listener.Addr().String(), "transport fastcgi")),
			"\twsfev1 {", "\trewrite * /api/wsfev1/FECAEAConsultar\n\twsfev1 {", 1)
	})
	r := s.Request(t.Context(), "FECAEASolicitar", caeaBody)
	r.ContentLength, r.GetBody = -1, nil // chunked: FastCGI needs a length all the same
	if answer := s.Do(r); answer.Status != 200 {
		t.Fatalf("%d %s", answer.Status, answer.Body)
	}
	if r := <-got; r.URL.RequestURI() != "/api/wsfev1/FECAEAConsultar" || r.ContentLength != int64(len(caeaBody)) {
		t.Errorf("the service got %s, %d bytes", r.URL, r.ContentLength)
	}
}
