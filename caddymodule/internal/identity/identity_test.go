package identity_test

import (
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
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

// TestASubjectIsNotAnothers: of two common names crypto/x509 writes one, and a client could be another one by it.
func TestASubjectIsNotAnothers(t *testing.T) {
	type part struct {
		name int
		text string
	}
	of := func(parts ...part) string {
		var sequence pkix.RDNSequence
		for _, p := range parts {
			sequence = append(sequence, pkix.RelativeDistinguishedNameSET{{Type: asn1.ObjectIdentifier{2, 5, 4, p.name}, Value: p.text}})
		}
		raw, err := asn1.Marshal(sequence)
		if err != nil {
			t.Fatal(err)
		}
		certificate := &x509.Certificate{RawSubject: raw}
		certificate.Subject.FillFromRDNSequence(&sequence)
		r := httptest.NewRequest(http.MethodPost, "/", nil)
		r.TLS = &tls.ConnectionState{PeerCertificates: []*x509.Certificate{certificate}, VerifiedChains: [][]*x509.Certificate{{certificate}}}
		return identity.Of(r).Subject
	}
	const name, serial, organization = 3, 5, 10
	for want, got := range map[string]string{
		"CN=erp,O=Example": of(part{organization, "Example"}, part{name, "erp"}), "CN=erp,CN=shop,O=Example": of(part{organization, "Example"}, part{name, "shop"}, part{name, "erp"}),
		"SERIALNUMBER=CUIT 20111111112,CN=x":                               of(part{name, "x"}, part{serial, "CUIT 20111111112"}),
		"SERIALNUMBER=CUIT 20111111112,SERIALNUMBER=CUIT 30500010912,CN=x": of(part{name, "x"}, part{serial, "CUIT 30500010912"}, part{serial, "CUIT 20111111112"}),
		"CN=erp,O=A+O=B": of(part{organization, "A"}, part{organization, "B"}, part{name, "erp"}),
	} {
		if got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
