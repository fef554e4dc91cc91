package exchange

import (
	"net"
	"net/http"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/fielato/fielato/caddymodule/internal/record"
)

// clientOf returns who has sent a request, as the handlers before the gateway have found out.
func clientOf(r *http.Request, repl *caddy.Replacer) record.Client {
	return record.Client{Address: clientAddress(r), Identity: clientIdentity(r, repl)}
}

// clientAddress returns the client's IP address, which trusted proxies may set.
func clientAddress(r *http.Request) string {
	if ip, ok := caddyhttp.GetVar(r.Context(), caddyhttp.ClientIPVarKey).(string); ok && ip != "" {
		return ip
	}
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	return host
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
