// Package identity says who sends a request, as the handlers before ours and the TLS handshake have proven it.
//
// It is a package of its own because the gateway, the console and their tests must not know it in two ways.
package identity

import (
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"net/http"
	"net/netip"
	"strings"

	"github.com/caddyserver/caddy/v2"

	"github.com/fielato/fielato/internal/clients"
)

// Of returns what was proven about who sends a request. No header counts. A certificate that was not verified
// proves its key alone: anybody can write a subject.
func Of(r *http.Request) clients.Identity {
	var id clients.Identity
	if repl, ok := r.Context().Value(caddy.ReplacerCtxKey).(*caddy.Replacer); ok {
		id.User, _ = repl.GetString("http.auth.user.id")
	}
	if r.TLS == nil || len(r.TLS.PeerCertificates) == 0 {
		return id
	}
	certificate := r.TLS.PeerCertificates[0]
	id.PublicKey = certificate.RawSubjectPublicKeyInfo
	if len(r.TLS.VerifiedChains) == 0 {
		return id
	}
	id.Subject = subjectOf(certificate)
	id.Names = namesOf(certificate)
	return id
}

var commonName, serialNumber = asn1.ObjectIdentifier{2, 5, 4, 3}, asn1.ObjectIdentifier{2, 5, 4, 5}

// subjectOf returns the subject of a certificate as crypto/x509 writes it. Of several common names or serial numbers that
// text has the last alone, so another subject has the same. Such a subject is written whole.
func subjectOf(certificate *x509.Certificate) string {
	names, serials := 0, 0
	for _, part := range certificate.Subject.Names {
		switch {
		case part.Type.Equal(commonName):
			names++
		case part.Type.Equal(serialNumber):
			serials++
		}
	}
	if names <= 1 && serials <= 1 {
		return certificate.Subject.String()
	}
	var whole pkix.RDNSequence
	if _, err := asn1.Unmarshal(certificate.RawSubject, &whole); err != nil {
		return "" // crypto/x509 has read it
	}
	return whole.String()
}

// namesOf returns the alternative names of a certificate that have the form of their own kind. A row does not say
// of which kind its name is, and an authority may check one kind less than another: an e-mail address without "@"
// would pass for a DNS name.
func namesOf(certificate *x509.Certificate) (names []string) {
	for _, name := range certificate.DNSNames {
		if _, err := netip.ParseAddr(name); err != nil && !strings.ContainsAny(name, "@:/") {
			names = append(names, name)
		}
	}
	for _, address := range certificate.EmailAddresses {
		if strings.Contains(address, "@") && !strings.Contains(address, ":") {
			names = append(names, address)
		}
	}
	for _, address := range certificate.IPAddresses {
		names = append(names, address.String())
	}
	for _, uri := range certificate.URIs {
		if _, err := netip.ParseAddr(uri.String()); err != nil && uri.IsAbs() {
			names = append(names, uri.String())
		}
	}
	return names
}

// Name names who sends a request for records and pages: the user, or else the subject of the certificate. It is
// empty for nobody.
func Name(id *clients.Identity) string {
	if id.User != "" {
		return id.User
	}
	return id.Subject
}
