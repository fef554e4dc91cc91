package caddymodule_test

import (
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/hex"
	"net/http"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// secureSite is a gateway with rows of clients, behind TLS with client certificates as an option says.
type secureSite struct {
	*recipe
	t         *testing.T
	authority *caddytest.EdgeAuthority
}

func newSecureSite(t *testing.T) *secureSite {
	t.Helper()
	s := &secureSite{prepareRecipe(t), t, caddytest.NewEdgeAuthority(t)}
	t.Cleanup(func() {
		s.client.CloseIdleConnections()
		if err := caddy.Stop(); err != nil {
			t.Errorf("stopping: %v", err)
		}
	})
	return s
}

// serve loads the site. clientAuth has the lines of client_auth, front the directives before the gateway.
func (s *secureSite) serve(clientAuth, front string, rows ...string) {
	s.t.Helper()
	certificate, key := s.authority.Certify(s.t, pkix.Name{CommonName: "site"}, "localhost").Files(s.t)
	s.Load("{\n admin off\n persist_config off\n}\n" + s.URL + " {\n bind " + caddytest.Loopback + "\n tls " + certificate + " " + key + " {\n client_auth {\n" + clientAuth + "\n}\n}\n" +
		front + "\nwsfev1 {\n audit sqlite " + s.Store + "\n" + strings.Join(rows, "\n") + "\n}\nrespond " + `"{}"` + "\n}\n")
}

// dummy asks for FEDummy and returns the code of the refusal, empty for none.
func (s *secureSite) dummy(with *tls.Certificate, change func(*http.Request)) string {
	s.t.Helper()
	s.tls().Certificates = nil
	if with != nil {
		s.tls().Certificates = []tls.Certificate{*with}
	}
	r := s.Request(s.t.Context(), "FEDummy", "{}")
	if change != nil {
		change(r)
	}
	got, err := caddytest.TryWith(s.client, r)
	if err != nil {
		s.t.Fatal(err)
	}
	if got.Status == http.StatusForbidden {
		return got.Codes(s.t)[0]
	}
	return ""
}

func row(name, identity string) string {
	return "client " + name + " {\n " + identity + "\n cuits *\n may *\n}"
}

func keyOf(t *testing.T, c caddytest.Certified) string {
	t.Helper()
	parsed, err := x509.ParseCertificate(c.Pair.Certificate[0])
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(parsed.RawSubjectPublicKeyInfo)
	return hex.EncodeToString(sum[:])
}

// TestACertificateThatWasNotVerifiedProvesItsKeyAlone: anybody can write a subject.
func TestACertificateThatWasNotVerifiedProvesItsKeyAlone(t *testing.T) {
	s := newSecureSite(t)
	forger := caddytest.NewEdgeAuthority(t)
	shop := forger.Certify(t, pkix.Name{CommonName: "shop"}, "shop.example.com")
	pinned, other := forger.Certify(t, pkix.Name{CommonName: "any"}), forger.Certify(t, pkix.Name{CommonName: "any"})
	s.serve("mode request", "", row("shop", "certificate CN=shop"), row("bysan", "certificate_san shop.example.com"), row("pinned", "certificate_key "+keyOf(t, pinned)))
	for name, test := range map[string]struct {
		with *tls.Certificate
		code string
	}{
		"none": {nil, "http.client"}, "of another authority": {&shop.Pair, "http.client"}, "another key": {&other.Pair, "http.client"}, "the key": {&pinned.Pair, ""},
	} {
		if got := s.dummy(test.with, nil); got != test.code {
			t.Errorf("%s: %q, want %q", name, got, test.code)
		}
	}
	for _, r := range s.Records() {
		if strings.Contains(r.ClientIdentity, "shop") {
			t.Errorf("record %s is of %q, which nobody has proven", r.Address(), r.ClientIdentity)
		}
	}
}

// TestAVerifiedCertificateIsItsSubjectAndNames, over HTTP/1 and HTTP/2; and headers are nothing.
func TestAVerifiedCertificateIsItsSubjectAndNames(t *testing.T) {
	s := newSecureSite(t)
	shop := s.authority.Certify(t, pkix.Name{CommonName: "shop", Organization: []string{"Example, S.A."}})
	bySAN, stranger := s.authority.Certify(t, pkix.Name{CommonName: "x"}, "erp.example.com"), s.authority.Certify(t, pkix.Name{CommonName: "shop2"}, "other.example.com")
	s.serve("mode verify_if_given\n trust_pool file "+s.authority.File(t), "",
		row("shop", `certificate "CN=shop,O=Example\, S.A."`), row("erp", "certificate_san erp.example.com"))
	for _, http2 := range []bool{false, true} {
		s.client.Transport.(*http.Transport).ForceAttemptHTTP2 = http2
		for name, test := range map[string]struct {
			with *tls.Certificate
			code string
		}{
			"the subject": {&shop.Pair, ""}, "the name": {&bySAN.Pair, ""}, "a stranger": {&stranger.Pair, "http.client"}, "none": {nil, "http.client"},
		} {
			if got := s.dummy(test.with, nil); got != test.code {
				t.Errorf("%s, HTTP/2 %v: %q, want %q", name, http2, got, test.code)
			}
		}
		for _, header := range []string{"Remote-User", "X-Remote-User", "X-Forwarded-User", "X-Client-Subject", "X-Ssl-Client-S-Dn", "Client-Cert", "User", "From"} {
			if got := s.dummy(nil, func(r *http.Request) { r.Header.Set(header, "CN=shop,O=Example\\, S.A.") }); got != "http.client" {
				t.Errorf("%s: %q", header, got)
			}
		}
		if got := s.dummy(nil, func(r *http.Request) { r.SetBasicAuth("shop", "example-only") }); got != "http.client" {
			t.Errorf("a user whom nobody has checked: %q", got)
		}
	}
}

// TestTwoProvenClientsAreNone: nothing says which of them is meant.
func TestTwoProvenClientsAreNone(t *testing.T) {
	s := newSecureSite(t)
	erp := s.authority.Certify(t, pkix.Name{CommonName: "erp"})
	unknown := s.authority.Certify(t, pkix.Name{CommonName: "proxy"})
	s.serve("mode verify_if_given\n trust_pool file "+s.authority.File(t), "basic_auth {\n shop "+hashOfExampleOnly+"\n}", row("shop", "user shop"), row("erp", "certificate CN=erp"))
	asShop := func(r *http.Request) { r.SetBasicAuth("shop", "example-only") }
	if got := s.dummy(&unknown.Pair, asShop); got != "" {
		t.Errorf("with a certificate of no client: %q", got)
	}
	if got := s.dummy(&erp.Pair, asShop); got != "http.client" {
		t.Errorf("as two clients: %q", got)
	}
	r := s.Last()
	if r.ClientRow != "" || !strings.Contains(r.Detail, "clients erp and shop") && !strings.Contains(r.Detail, "clients shop and erp") {
		t.Errorf("recorded as %q: %q", r.ClientRow, r.Detail)
	}
	if strings.Contains(string(r.Answer), "erp") {
		t.Errorf("the answer names a client: %s", r.Answer)
	}
}

// TestAResumedSessionIsJudgedByTheNewTable, and by the new authority.
func TestAResumedSessionIsJudgedByTheNewTable(t *testing.T) {
	s := newSecureSite(t)
	shop := s.authority.Certify(t, pkix.Name{CommonName: "shop"})
	s.tls().ClientSessionCache = tls.NewLRUClientSessionCache(8)
	verified := "mode verify_if_given\n trust_pool file " + s.authority.File(t)
	s.serve(verified, "", row("shop", "certificate CN=shop"))
	for range 2 { // the second resumes the session
		if got := s.dummy(&shop.Pair, nil); got != "" {
			t.Fatalf("%q", got)
		}
	}
	s.serve(verified, "", row("erp", "certificate CN=erp"))
	if got := s.dummy(&shop.Pair, nil); got != "http.client" {
		t.Errorf("after its row is gone: %q", got)
	}
	s.serve("mode verify_if_given\n trust_pool file "+caddytest.NewEdgeAuthority(t).File(t), "", row("shop", "certificate CN=shop"))
	s.tls().Certificates = []tls.Certificate{shop.Pair}
	got, err := caddytest.TryWith(s.client, s.Request(t.Context(), "FEDummy", "{}"))
	if err == nil && got.Status != http.StatusForbidden {
		t.Errorf("with a certificate of an authority that is none any more: %d", got.Status)
	}
}
