package local_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/fielato/fielato/caddymodule/internal/local"
)

// asked is a request as a server with these addresses gets it, from a client of this address that
// Caddy takes for the one of client.
func asked(listen []string, remote, client string, header ...string) *http.Request {
	r := httptest.NewRequestWithContext(context.Background(), http.MethodGet, "http://localhost:2020/consola/", nil)
	for i := 0; i < len(header); i += 2 {
		r.Header.Add(header[i], header[i+1])
	}
	r.RemoteAddr = remote
	ctx := context.WithValue(r.Context(), caddyhttp.ServerCtxKey, &caddyhttp.Server{Listen: listen})
	ctx = context.WithValue(ctx, caddyhttp.VarsCtxKey, map[string]any{caddyhttp.ClientIPVarKey: client})
	return r.WithContext(ctx)
}

var loopback = []string{"127.0.0.1:2020", "[::1]:2020", "unix//run/fielato.sock|0220", "localhost:2021"}

// browser has what a browser sends by itself.
var browser = []string{
	"Accept", "text/html,application/xhtml+xml", "Accept-Encoding", "gzip, deflate, br, zstd", "Accept-Language", "es-AR", "Cache-Control", "max-age=0",
	"Connection", "keep-alive", "Cookie", "a=b", "Dnt", "1", "If-None-Match", `"x"`, "Origin", "http://localhost:2020", "Pragma", "no-cache", "Priority", "u=0, i",
	"Referer", "https://grafana.example.com/d/1", "Sec-Ch-Ua", `"Chromium"`, "Sec-Ch-Ua-Platform", `"Linux"`, "Sec-Fetch-Site", "cross-site", "Sec-Gpc", "1",
	"Te", "trailers", "Upgrade-Insecure-Requests", "1", "User-Agent", "Mozilla/5.0", "X-Requested-With", "XMLHttpRequest", "Last-Event-Id", "gateway/1", "Range", "bytes=0-", "Save-Data", "on",
}

func TestClientsOfThisMachine(t *testing.T) {
	for name, r := range map[string]*http.Request{
		"a browser":             asked(loopback, "127.0.0.1:40000", "127.0.0.1", browser...),
		"of IPv6":               asked(loopback, "[::1]:40000", "::1", browser...),
		"of IPv4 in IPv6":       asked(loopback, "[::ffff:127.0.0.1]:40000", "::ffff:127.0.0.1"),
		"of a socket":           asked(loopback, "@", ""),
		"of a named socket":     asked(loopback, "/run/client.sock", "/run/client.sock"),
		"a client of SOAP":      asked(loopback, "127.0.0.9:40000", "127.0.0.9", "SOAPAction", `"x"`, "Content-Type", "text/xml", "Expect", "100-continue"),
		"a program of another":  asked([]string{"127.0.0.1:80"}, "127.0.0.1:1", "127.0.0.1", "Authorization", "Basic x", "Idempotency-Key", "1"),
		"curl":                  asked(loopback, "127.0.0.1:40000", "127.0.0.1", "Accept", "*/*", "User-Agent", "curl/8.5.0", "Upgrade", "h2c", "Http2-Settings", "AAMAAABkAAQAAP__", "Connection", "Upgrade, HTTP2-Settings"),
		"behind Caddy's traces": asked(loopback, "127.0.0.1:40000", "127.0.0.1", "Traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", "Tracestate", ""),
	} {
		if !local.IsClient(r) {
			t.Errorf("%s is of this machine", name)
		}
	}
}

// TestWhoeverMayComeThroughAProxyIsFromElsewhere: a proxy on this machine, whatever trace it leaves.
func TestWhoeverMayComeThroughAProxyIsFromElsewhere(t *testing.T) {
	for _, name := range []string{
		"X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Forwarded-Port", "X-Forwarded-Server", "X-Forwarded-Scheme", "X-Forwarded-Ssl", "X-Forwarded-Prefix", "X-Forwarded",
		"Forwarded", "Forwarded-For", "Via", "X-Real-IP", "X-Real_Ip", "CF-Connecting-IP", "CF-Ray", "CF-Visitor", "Cdn-Loop", "True-Client-IP", "Client-IP", "X-Client-IP", "X-Cluster-Client-IP",
		"X-Original-For", "X-Original-Host", "X-Original-URL", "X-Original-Forwarded-For", "X-ProxyUser-Ip", "X-ClientIP", "X-RealIP", "XForwardedFor", "WL-Proxy-Client-IP", "Proxy-Connection", "Proxy-Authorization", "X-Proxy-Id", "X-Remote-Addr", "Remote-Addr",
		"X-Envoy-External-Address", "X-Amzn-Trace-Id", "X-Amz-Cf-Id", "CloudFront-Viewer-Address", "Fastly-Client-IP", "Fly-Client-IP", "X-Azure-ClientIP", "X-ARR-SSL", "X-Appengine-Remote-Addr",
		"Akamai-Origin-Hop", "X-Akamai-Edgescape", "X-Varnish", "Tailscale-User-Login", "Ngrok-Trace-Id", "X-Request-ID", "X-Request-Start", "X-Correlation-Id", "Front-End-Https", "X-Host", "X-Scheme", "Max-Forwards",
		"X_Forwarded_For", "x.forwarded.for", "X-Client", "X-Auth-Request-User", "X-Authentik-Username", "X-Goog-IAP-JWT-Assertion", "Remote-User", "X-Webauth-User", "X-Something", "Forwarded-By", "Accepted", "Secret", "SSL-Client-Cert", "X-SSL-Client-Verify", "X-Traefik-Router", "X-Vercel-Id", "X-HAProxy-Server-State", "X-Nginx-Proxy",
	} {
		// Also with a value that is no address, with none, and with one that says that it is from here.
		for _, value := range []string{"192.0.2.7", "", "127.0.0.1"} {
			if local.IsClient(asked(loopback, "127.0.0.1:40000", "127.0.0.1", append([]string{name, value}, browser...)...)) {
				t.Errorf("%s: %q counts as of this machine", name, value)
			}
		}
	}
	old := asked(loopback, "127.0.0.1:40000", "127.0.0.1")
	old.Proto, old.ProtoMinor = "HTTP/1.0", 0
	nobody := httptest.NewRequest(http.MethodGet, "http://localhost/", nil)
	nobody.RemoteAddr = "127.0.0.1:1"
	for name, r := range map[string]*http.Request{
		"HTTP/1.0":                      old,
		"a page of another name":        asked(loopback, "127.0.0.1:1", "127.0.0.1", "Origin", "https://consola.example.com"),
		"a page of another port":        asked(loopback, "127.0.0.1:1", "127.0.0.1", "Origin", "http://localhost:3000"),
		"a page of no name":             asked(loopback, "127.0.0.1:1", "127.0.0.1", "Origin", "null"),
		"another machine":               asked(loopback, "192.0.2.7:1", "192.0.2.7"),
		"another machine says so":       asked(loopback, "192.0.2.7:1", "127.0.0.1"),
		"a trusted proxy says so":       asked(loopback, "127.0.0.1:1", "192.0.2.7"),
		"a proxy protocol says so":      asked(loopback, "192.0.2.7:1", "192.0.2.7"),
		"no address":                    asked(loopback, "somewhere", "somewhere"),
		"a server on all addresses":     asked([]string{":2020"}, "127.0.0.1:1", "127.0.0.1"),
		"a server on another address":   asked([]string{"127.0.0.1:2020", "192.0.2.1:2020"}, "127.0.0.1:1", "127.0.0.1"),
		"a server on an IPv6 wildcard":  asked([]string{"[::]:2020"}, "127.0.0.1:1", "127.0.0.1"),
		"a server on a name":            asked([]string{"fielato.example:2020"}, "127.0.0.1:1", "127.0.0.1"),
		"a server with no address":      asked(nil, "127.0.0.1:1", "127.0.0.1"),
		"a server that nobody can name": nobody,
	} {
		if local.IsClient(r) {
			t.Errorf("%s counts as this machine", name)
		}
	}
}
