package layout

import (
	"net"
	"slices"
	"strconv"
	"strings"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
)

// ConsoleURL returns the address to give to a browser for the console that Caddy is about to load; empty
// if the server's routes and addresses do not say it.
func ConsoleURL(server *caddyhttp.Server, path string) string {
	s := &site{server: server, routes: Routes(server.Routes)}
	for i, r := range s.routes {
		for _, p := range s.flatten(s.routes[i:i+1], nil, false) {
			if !r.loaded && p.Name == consoleHandler {
				return urlOf(server, r.Hosts, path)
			}
		}
	}
	return ""
}

// urlOf returns the URL of a path at the first address of a server. hosts are the names by which clients
// ask for it; none if any will do.
func urlOf(server *caddyhttp.Server, hosts []string, path string) string {
	host := ""
	for _, name := range hosts {
		if !strings.ContainsAny(name, "*{") {
			host = name
			break
		}
	}
	for _, listen := range server.Listen {
		on, err := caddy.ParseNetworkAddress(listen)
		if err != nil || on.IsUnixNetwork() || on.IsFdNetwork() {
			continue
		}
		if host == "" && len(hosts) > 0 {
			continue // only names that stand for many
		}
		if host == "" {
			host = on.Host
		}
		if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
			host = "localhost"
		}
		scheme, usual := "http", uint(caddyhttp.DefaultHTTPPort)
		if (len(server.TLSConnPolicies) > 0 || on.StartPort == caddyhttp.DefaultHTTPSPort) && on.StartPort != usual {
			scheme, usual = "https", caddyhttp.DefaultHTTPSPort
		}
		authority := net.JoinHostPort(host, strconv.FormatUint(uint64(on.StartPort), 10))
		if on.StartPort == usual {
			authority = strings.TrimSuffix(authority, ":"+strconv.FormatUint(uint64(usual), 10))
		}
		return scheme + "://" + authority + path
	}
	return ""
}

// Addresses returns the addresses of a path by which clients reach the gateways of a server that Caddy has
// not provisioned.
func Addresses(server *caddyhttp.Server, path string) (all []string) {
	for _, r := range Routes(server.Routes) {
		if !hasGateway([]Route{r}) {
			continue
		}
		if at := urlOf(server, r.Hosts, path); at != "" && !slices.Contains(all, at) {
			all = append(all, at)
		}
	}
	return all
}
