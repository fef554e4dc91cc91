package doctor

import (
	"net/netip"
	"slices"

	"github.com/caddyserver/caddy/v2"
	"github.com/go-json-experiment/json"

	"github.com/fielato/fielato/caddymodule/internal/tickets"
)

// keeping is a gateway that keeps access tickets.
type keeping struct {
	gateway gateway
	blocks  []tickets.Options
	listen  []string
	front   guard
	// clients: whoever is no client of the gateway is refused.
	clients bool
}

// addKeeping adds a gateway if it has blocks wsaa.
func (c *config) addKeeping(s *site, raw []byte, g gateway, front guard, clients bool) {
	var read struct {
		Wsaa []tickets.Options `json:"wsaa"`
	}
	if json.Unmarshal(raw, &read) == nil && len(read.Wsaa) > 0 {
		c.keeping = append(c.keeping, keeping{g, read.Wsaa, s.listen, front, clients})
	}
}

// guard is whether clients must show who they are before they reach a handler.
type guard int

const (
	unguarded guard = iota
	partly          // matchers or names decide it
	guarded
)

// tlsPolicy is what matters here of how a server accepts TLS.
type tlsPolicy struct {
	Match struct {
		SNI []string `json:"sni"`
	} `json:"match"`
	Clients *struct {
		Mode string `json:"mode"`
	} `json:"client_authentication"`
}

// policiesOf returns the policies that may hold for the sites of some hosts, none for all. The policies that name
// a host go before those for all. Caddy lets nobody ask by one name for a certificate and by another for a site,
// where a policy wants certificates.
func policiesOf(policies []tlsPolicy, hosts []string) []tlsPolicy {
	var named, general []tlsPolicy
	for _, p := range policies {
		switch {
		case len(p.Match.SNI) == 0:
			general = append(general, p)
		case len(hosts) == 0 || slices.ContainsFunc(p.Match.SNI, func(name string) bool { return slices.Contains(hosts, name) }):
			named = append(named, p)
		}
	}
	if len(named) == 0 || len(hosts) == 0 {
		return append(named, general...)
	}
	return named
}

// guardOf returns whether clients need a certificate where these policies hold.
func guardOf(judged []tlsPolicy) guard {
	with := len(slices.DeleteFunc(slices.Clone(judged), func(p tlsPolicy) bool {
		return p.Clients == nil || p.Clients.Mode != "" && p.Clients.Mode != "require_and_verify"
	}))
	switch with {
	case 0:
		return unguarded
	case len(judged):
		return guarded
	}
	return partly
}

// authenticationResult looks whether somebody unknown may use the tickets of a gateway.
func authenticationResult(k keeping) result {
	const check = "authentication"
	const cure = "put basic_auth, client certificates or another authentication in front of wsfev1, for every request"
	switch {
	case k.clients:
		return ok(check, "the gateway that keeps access tickets refuses whoever is none of its clients")
	case k.front == guarded:
		return ok(check, "stands in front of the gateway that keeps access tickets")
	case !slices.ContainsFunc(k.listen, func(listen string) bool { return !isLocal(listen) }):
		return ok(check, "this machine alone reaches the gateway that keeps access tickets")
	case k.front == partly:
		return warn(check, cure, "some requests may reach the gateway that keeps access tickets without it: matchers decide")
	}
	return warn(check, cure, "none: whoever reaches the gateway can issue invoices for the cuits of wsaa")
}

// isLocal reports whether only this machine reaches an address.
func isLocal(listen string) bool {
	address, err := caddy.ParseNetworkAddress(listen)
	if err != nil {
		return false
	}
	at, err := netip.ParseAddr(address.Host)
	return address.IsUnixNetwork() || address.Host == "localhost" || err == nil && at.IsLoopback()
}
