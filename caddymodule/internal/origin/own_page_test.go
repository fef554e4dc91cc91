package origin_test

import (
	"context"
	"crypto/tls"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/fielato/fielato/caddymodule/internal/origin"
)

// TestOnlyAPageOfTheSiteIsItsOwn, as the browser says. What says nothing is no page.
func TestOnlyAPageOfTheSiteIsItsOwn(t *testing.T) {
	type header = map[string][]string
	fetched := func(values ...string) header { return header{"Sec-Fetch-Site": values} }
	from := func(values ...string) header { return header{"Origin": values} }
	for _, c := range []struct {
		header     header
		tls, proxy bool
		own        bool
	}{
		{header: nil},
		{header: fetched("none")},
		{header: fetched("same-site")},
		{header: fetched("cross-site")},
		{header: fetched("")},
		{header: fetched("same-origin", "cross-site")},
		{header: fetched("same-origin"), own: true},
		{header: fetched("same-origin"), tls: true, own: true},
		{header: header{"Sec-Fetch-Site": {"same-origin"}, "Origin": {"null"}}, own: true},
		{header: header{"Sec-Fetch-Site": {"none"}, "Origin": {"http://site.example:2020"}}},
		{header: from("http://site.example:2020"), own: true},
		{header: from("HTTP://SITE.example:2020"), own: true},
		{header: from("https://site.example:2020"), tls: true, own: true},
		{header: from("https://site.example:2020")},
		{header: from("http://site.example:2020"), tls: true},
		{header: from("null")},
		{header: from("")},
		{header: from("http://site.example")},
		{header: from("http://other.example:2020")},
		{header: from("http://site.example:2020", "http://other.example")},
		{header: from("http://site.example:2020/")},
		{header: header{"Origin": {"https://consola.example"}, "X-Forwarded-Host": {"consola.example"}, "X-Forwarded-Proto": {"https"}}},
		{header: header{"Origin": {"https://consola.example"}, "X-Forwarded-Host": {"consola.example"}, "X-Forwarded-Proto": {"https"}}, proxy: true, own: true},
	} {
		r := httptest.NewRequestWithContext(context.WithValue(t.Context(), caddyhttp.VarsCtxKey, map[string]any{caddyhttp.TrustedProxyVarKey: c.proxy}), http.MethodPost, "http://site.example:2020/", nil)
		r.Header = c.header
		if c.tls {
			r.TLS = &tls.ConnectionState{}
		}
		if got := origin.IsOwnPage(r); got != c.own {
			t.Errorf("%v, TLS %v, trusted proxy %v: %v, want %v", c.header, c.tls, c.proxy, got, c.own)
		}
	}
}

// TestWhatAnotherSiteEmbedsIsNoVisit: a link to here is.
func TestWhatAnotherSiteEmbedsIsNoVisit(t *testing.T) {
	for _, c := range []struct {
		site, mode, dest string
		embedded         bool
	}{
		{"", "", "", false},
		{"none", "navigate", "document", false},
		{"same-origin", "cors", "empty", false},
		{"same-origin", "no-cors", "image", false},
		{"cross-site", "navigate", "document", false},
		{"same-site", "navigate", "document", false},
		{"cross-site", "no-cors", "image", true},
		{"cross-site", "no-cors", "script", true},
		{"cross-site", "cors", "empty", true},
		{"cross-site", "navigate", "iframe", true},
		{"same-site", "no-cors", "style", true},
		{"cross-site", "", "", true},
	} {
		r := httptest.NewRequest(http.MethodGet, "https://consola.example.com/consola/", nil)
		for name, value := range map[string]string{"Sec-Fetch-Site": c.site, "Sec-Fetch-Mode": c.mode, "Sec-Fetch-Dest": c.dest} {
			if value != "" {
				r.Header.Set(name, value)
			}
		}
		if got := origin.IsEmbedded(r); got != c.embedded {
			t.Errorf("%+v: %v", c, got)
		}
	}
}
