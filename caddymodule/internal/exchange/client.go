package exchange

import (
	"net/http"

	"github.com/caddyserver/caddy/v2"

	"github.com/fielato/fielato/caddymodule/internal/local"
	"github.com/fielato/fielato/caddymodule/internal/record"
)

// clientOf returns who has sent a request, as the handlers before the gateway have found out.
func clientOf(r *http.Request, repl *caddy.Replacer) record.Client {
	return record.Client{Address: local.Address(r), Identity: clientIdentity(r, repl)}
}

// clientIdentity returns who the client is, where an outer handler or the TLS
// handshake knows it.
func clientIdentity(r *http.Request, repl *caddy.Replacer) string {
	if user, ok := repl.GetString("http.auth.user.id"); ok && user != "" {
		return user
	}
	if r.TLS == nil || len(r.TLS.PeerCertificates) == 0 {
		return ""
	}
	return r.TLS.PeerCertificates[0].Subject.String()
}
