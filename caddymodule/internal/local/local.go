package local

import (
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
)

// Address returns the client's IP address, which trusted proxies may set.
func Address(r *http.Request) string {
	if ip, ok := caddyhttp.GetVar(r.Context(), caddyhttp.ClientIPVarKey).(string); ok && ip != "" {
		return ip
	}
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	return host
}

// IsClient reports whether a request comes from this machine itself: from a loopback address or a Unix
// socket, to a server that listens nowhere else, and with no header but those that clients send: any other may be
// a proxy's.
//
// A program on the machine that forwards connections of others as they are, byte for byte, cannot be told
// from a client. Nor can one whose only trace is a header with an underscore in its name, as Caddy drops these.
func IsClient(r *http.Request) bool {
	server, ok := r.Context().Value(caddyhttp.ServerCtxKey).(*caddyhttp.Server)
	if !ok || !AreAddresses(server.Listen) || isForwarded(r) {
		return false
	}
	if !isHere(r.RemoteAddr) {
		return false
	}
	// The client's address is another one only for a proxy that Caddy trusts.
	client, ok := caddyhttp.GetVar(r.Context(), caddyhttp.ClientIPVarKey).(string)
	return !ok || isHere(client)
}

// AreAddresses reports whether only this machine reaches the addresses, of which there must be one.
func AreAddresses(listen []string) bool {
	for _, address := range listen {
		a, err := caddy.ParseNetworkAddress(address)
		ip, _ := netip.ParseAddr(a.Host) // the zero address is not local
		if err != nil || !a.IsUnixNetwork() && a.Host != "localhost" && !ip.IsLoopback() {
			return false
		}
	}
	return len(listen) > 0
}

// isHere reports whether an address, with or without a port, is a loopback address or a Unix
// socket, which may have no name.
func isHere(address string) bool {
	if address == "" || strings.HasPrefix(address, "@") || strings.HasPrefix(address, "/") {
		return true
	}
	if host, _, err := net.SplitHostPort(address); err == nil {
		address = host
	}
	ip, err := netip.ParseAddr(address)
	return err == nil && ip.IsLoopback()
}

// isForwarded reports whether a request may have come through a proxy. Programs that still speak HTTP/1.0
// are nearly all proxies: it is what nginx speaks to its upstreams unless it is told otherwise, and then
// without any header of its own.
func isForwarded(r *http.Request) bool {
	if !r.ProtoAtLeast(1, 1) {
		return true
	}
	for name, values := range r.Header {
		if !isOfClient(name) {
			return true
		}
		if name == "Origin" && !isAnswerable(r) && !slices.Contains(values, "http://"+r.Host) && !slices.Contains(values, "https://"+r.Host) {
			return true // the browser is at a page of another name: the proxy's, or another site's
		}
	}
	return false
}

// isAnswerable reports whether a browser itself says what another Origin means: a form of one of the
// console's own pages, whose Referrer-Policy hides their origin, or a page of another site, which
// whoever takes forms refuses with the reason.
func isAnswerable(r *http.Request) bool {
	switch r.Header.Get("Sec-Fetch-Site") {
	case "same-origin":
		return r.Header.Get("Origin") == "null"
	case "same-site", "cross-site":
		return true
	}
	return false
}

// ownNames are the headers that browsers, clients of SOAP and programs such as curl send by themselves, or
// because their user asks for it, in small letters. The headers of traces are here because Caddy's tracing
// adds them.
var ownNames = []string{
	"alt-used", "authorization", "cache-control", "connection", "cookie", "date", "dnt", "expect", "host", "http2-settings", "idempotency-key", "keep-alive", "last-event-id",
	"origin", "pragma", "priority", "purpose", "range", "referer", "save-data", "soapaction", "te", "traceparent", "tracestate", "trailer", "transfer-encoding", "upgrade",
	"upgrade-insecure-requests", "user-agent", "x-requested-with",
}

// ownPrefixes begin the names of others.
var ownPrefixes = []string{"accept-", "access-control-request-", "content-", "if-", "sec-"}

// isOfClient reports whether a header is one that clients send. There is no list of what proxies add.
func isOfClient(name string) bool {
	name = strings.ToLower(name)
	return name == "accept" || slices.Contains(ownNames, name) || slices.ContainsFunc(ownPrefixes, func(prefix string) bool { return strings.HasPrefix(name, prefix) })
}
