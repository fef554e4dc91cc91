package identity_test

import (
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"testing"

	"github.com/fielato/fielato/caddymodule/internal/identity"
)

// TestANameOfOneKindIsNotOneOfAnother: an authority that checks DNS names may sign any e-mail address or URI.
func TestANameOfOneKindIsNotOneOfAnother(t *testing.T) {
	certificate := &x509.Certificate{
		DNSNames:       []string{"erp.example.com", "ops@example.com", "urn:erp", "10.0.0.1", "::1", "https://example.com/erp"},
		EmailAddresses: []string{"erp@example.com", "shop.example.com", "mailto:a@example.com"},
		IPAddresses:    []net.IP{net.IPv4(10, 0, 0, 2)},
		URIs:           []*url.URL{{Scheme: "spiffe", Host: "example.com", Path: "/erp"}, {Path: "bank.example.com"}, {Path: "boss@example.com"}},
	}
	r := httptest.NewRequest(http.MethodPost, "/", nil)
	r.TLS = &tls.ConnectionState{PeerCertificates: []*x509.Certificate{certificate}}
	if names := identity.Of(r).Names; len(names) != 0 {
		t.Errorf("unverified: %q", names)
	}
	r.TLS.VerifiedChains = [][]*x509.Certificate{{certificate}}
	want := []string{"erp.example.com", "erp@example.com", "10.0.0.2", "spiffe://example.com/erp"}
	if names := identity.Of(r).Names; !slices.Equal(names, want) {
		t.Errorf("%q\nwant %q", names, want)
	}
}
