package site

import (
	"crypto/sha256"
	"encoding/hex"
	"net"
	"net/http"
	"net/netip"
	"strings"

	"github.com/fielato/fielato/caddymodule/internal/identity"
	"github.com/fielato/fielato/caddymodule/internal/local"
	"github.com/fielato/fielato/internal/clients"
)

// SetSecurityHeaders sets what holds for every answer. A page may hold anything that a client ever sent:
// no script but the console's own runs, and no other site may frame a page or learn its address.
func SetSecurityHeaders(header http.Header) {
	header.Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "+
		"form-action 'self'; base-uri 'none'; frame-ancestors 'none'")
	header.Set("Cache-Control", "no-store")
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Cross-Origin-Opener-Policy", "same-origin")
	header.Set("Cross-Origin-Resource-Policy", "same-origin")
}

// ReaderOf returns who reads, as Caddy's authentication or the client's certificate says; empty if
// nobody knows.
func ReaderOf(r *http.Request) string {
	id := identity.Of(r)
	return identity.Name(&id)
}

// unknown is who reads where nobody knows.
const unknown = "unknown"

// Who names who reads for the record of a reading, as ReaderOf does. A reader whose certificate has no subject, or was
// not verified, and is in a row all the same, has the digest of its key.
func (s *Site) Who(r *http.Request) string {
	id := identity.Of(r)
	switch name := identity.Name(&id); {
	case name != "":
		return name
	case len(id.PublicKey) > 0 && s.Scope(r).Reader != "":
		digest := sha256.Sum256(id.PublicKey)
		return string(clients.CertificateKey) + " " + hex.EncodeToString(digest[:])
	}
	return unknown
}

// IsLocal reports whether the request comes from this machine, by a name of this machine: a page of
// another site could otherwise ask for it, under a name that leads here.
func IsLocal(r *http.Request) bool {
	host := r.Host
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	asked, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return (host == "localhost" || err == nil && asked.IsLoopback()) && local.IsClient(r)
}
