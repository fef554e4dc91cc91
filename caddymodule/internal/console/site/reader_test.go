package site_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/caddyserver/caddy/v2"

	"github.com/fielato/fielato/caddymodule/internal/console/site"
)

// TestOnlyAVerifiedCertificateNamesTheReader: anybody can make one with any name.
func TestOnlyAVerifiedCertificateNamesTheReader(t *testing.T) {
	certificate := &x509.Certificate{Subject: pkix.Name{CommonName: "contadora", Organization: []string{"Example"}}}
	for want, chains := range map[string][][]*x509.Certificate{"": nil, "CN=contadora,O=Example": {{certificate}}} {
		r := httptest.NewRequest(http.MethodGet, "https://consola.example.com/consola/", nil)
		r.TLS = &tls.ConnectionState{PeerCertificates: []*x509.Certificate{certificate}, VerifiedChains: chains}
		if got := site.ReaderOf(r); got != want {
			t.Errorf("%d chains: %q, want %q", len(chains), got, want)
		}
	}
	r := httptest.NewRequest(http.MethodGet, "https://consola.example.com/consola/", nil)
	repl := caddy.NewReplacer()
	repl.Set("http.auth.user.id", "ana")
	r.TLS = &tls.ConnectionState{PeerCertificates: []*x509.Certificate{certificate}, VerifiedChains: [][]*x509.Certificate{{certificate}}}
	if got := site.ReaderOf(r.WithContext(context.WithValue(r.Context(), caddy.ReplacerCtxKey, repl))); got != "ana" {
		t.Errorf("a user with a certificate is %q", got)
	}
}
