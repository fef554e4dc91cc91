package layout

import (
	"errors"
	"net/netip"
	"slices"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"github.com/go-json-experiment/json"
)

const consoleHandler = "wsfev1_console"

// open are the handlers that authenticate nobody. Any other handler may.
var open = append([]string{builtInHandler, consoleHandler, "error", "file_server", "log", "metrics", "static_response"}, passing...)

var errOpenConsole = errors.New("wsfev1_console shows invoices, other machines reach it here, and nothing in front of it asks who they are: " +
	"put basic_auth, forward_auth or client certificates in front of it, or bind the site to 127.0.0.1; if everybody who reaches it may see it, say so with the option public")

// CheckConsoles returns an error if others than this machine certainly reach a console of the server
// without being asked who they are. It looks at the same routes as Check.
func CheckConsoles(server *caddyhttp.Server) error {
	if allLocal(server.Listen) || asksForCertificates(server) {
		return nil
	}
	s := &site{server: server, routes: routesOf(server.Routes)}
	for _, p := range s.flatten(s.routes, nil, false) {
		switch {
		case p.name == "authentication", !slices.Contains(open, p.name) && (p.name != proxyHandler || p.goesOn()):
			return nil // it stands before all that follow
		case p.name == consoleHandler && p.raw != nil && !isPublic(p.handler):
			return errOpenConsole
		}
	}
	return nil
}

// isPublic reports whether a console in JSON says that everybody may see it.
func isPublic(console handler) bool {
	var read struct {
		Public bool `json:"public"`
	}
	return json.Unmarshal(console.raw, &read) != nil || read.Public
}

// allLocal reports whether only this machine reaches the addresses.
func allLocal(listen []string) bool {
	for _, address := range listen {
		a, err := caddy.ParseNetworkAddress(address)
		ip, _ := netip.ParseAddr(a.Host) // the zero address is not local
		if err != nil || !a.IsUnixNetwork() && a.Host != "localhost" && !ip.IsLoopback() {
			return false
		}
	}
	return len(listen) > 0
}

// asksForCertificates reports whether the server wants a certificate from some clients.
func asksForCertificates(server *caddyhttp.Server) bool {
	for _, policy := range server.TLSConnPolicies {
		if policy != nil && policy.ClientAuthentication != nil {
			return true
		}
	}
	return false
}
