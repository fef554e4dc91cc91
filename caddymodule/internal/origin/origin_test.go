package origin_test

import (
	"cmp"
	"context"
	"crypto/tls"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/fielato/fielato/caddymodule/internal/origin"
)

// TestWhatAProxySays, if it is trusted.
func TestWhatAProxySays(t *testing.T) {
	type header = map[string][]string
	proto := func(lines ...string) header { return header{"X-Forwarded-Proto": lines} }
	host := func(lines ...string) header { return header{"X-Forwarded-Host": lines} }
	const own = ""
	for _, c := range []struct {
		header       header
		scheme, host string
	}{
		{nil, own, own},
		{proto("https"), "https", own},
		{proto("https,http"), "https", own},
		{proto("http,https"), "http", own},
		{proto("https, http"), "https", own},
		{proto(" https ,http"), "https", own},
		{proto("\thttps"), "https", own},
		{proto("HTTPS"), "https", own},
		{proto("Https,HTTP"), "https", own},
		{proto("https", "http"), "https", own},
		{proto("http", "https"), "http", own},
		{proto("", "https"), "https", own},
		{proto(",https"), "https", own},
		{proto("wss,https"), own, own},
		{proto("javascript"), own, own},
		{proto(`"https"`), own, own},
		{proto("https:"), own, own},
		{proto("https;http"), own, own},
		{proto("https http"), own, own},
		{proto(""), own, own},
		{host("facturas.example"), own, "facturas.example"},
		{host("facturas.example:8443"), own, "facturas.example:8443"},
		{host("facturas.example, inner"), own, "facturas.example"},
		{host("facturas.example,inner:80"), own, "facturas.example"},
		{host("facturas.example", "inner"), own, "facturas.example"},
		{host(" facturas.example "), own, "facturas.example"},
		{host("Facturas_1.EXAMPLE."), own, "Facturas_1.EXAMPLE."},
		{host("192.0.2.1:443"), own, "192.0.2.1:443"},
		{host("[2001:db8::1]"), own, "[2001:db8::1]"},
		{host("[2001:db8::1]:8443"), own, "[2001:db8::1]:8443"},
		{host("2001:db8::1"), own, own},
		{host("[2001:db8::1"), own, own},
		{host("[2001:db8::1]x"), own, own},
		{host("[fe80::1%25eth0]"), own, own},
		{host("[192.0.2.1]"), own, own},
		{host("[facturas.example]:1"), own, own},
		{host("facturas.example:"), own, own},
		{host("facturas.example:0"), own, own},
		{host("facturas.example:65536"), own, own},
		{host("facturas.example:x"), own, own},
		{host(":8443"), own, own},
		{host(`"facturas.example"`), own, own},
		{host("facturas.example/x"), own, own},
		{host("user@facturas.example"), own, own},
		{host("facturas.example?x"), own, own},
		{host("facturas.example#x"), own, own},
		{host(`facturas.example"><x`), own, own},
		{host("facturas example"), own, own},
		{host("facturas%2Eexample"), own, own},
		{host("facturación.example"), own, own},
		{host("facturas.example\r\nX: y"), own, own},
		{host(strings.Repeat("a", 300)), own, own},
		{host(""), own, own},
		{host(",facturas.example"), own, "facturas.example"},
		{header{"Forwarded": {"proto=https;host=facturas.example"}, "X-Forwarded-Port": {"8443"}, "X-Forwarded-Scheme": {"https"}, "X-Forwarded-Ssl": {"on"}}, own, own},
		{header{"X-Forwarded-Proto": {"https,http"}, "X-Forwarded-Host": {"facturas.example, inner"}}, "https", "facturas.example"},
	} {
		for _, trusted := range []bool{true, false} {
			for own, state := range map[string]*tls.ConnectionState{"http": nil, "https": {}} {
				r := httptest.NewRequest(http.MethodGet, "http://inner:8080/", nil)
				r.Header, r.TLS = http.Header(c.header), state
				r = r.WithContext(context.WithValue(r.Context(), caddyhttp.VarsCtxKey, map[string]any{caddyhttp.TrustedProxyVarKey: trusted}))
				wantScheme, wantHost := own, "inner:8080"
				if trusted {
					wantScheme, wantHost = cmp.Or(c.scheme, own), cmp.Or(c.host, wantHost)
				}
				if scheme, host := origin.Of(r); scheme != wantScheme || host != wantHost {
					t.Errorf("%v, trusted %v, over %s: %s://%s, want %s://%s", c.header, trusted, own, scheme, host, wantScheme, wantHost)
				}
			}
		}
	}
}
