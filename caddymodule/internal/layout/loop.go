package layout

import (
	"net"
	"net/netip"
	"slices"
	"strings"

	"github.com/caddyserver/caddy/v2"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// proxy is what matters here of a reverse_proxy in JSON.
type proxy struct {
	Upstreams []struct {
		Dial string `json:"dial"`
	} `json:"upstreams"`
	Dynamic        jsontext.Value   `json:"dynamic_upstreams"`
	Rewrite        jsontext.Value   `json:"rewrite"`
	HandleResponse []jsontext.Value `json:"handle_response"`
	Transport      struct {
		TLS jsontext.Value `json:"tls"`
	} `json:"transport"`
	Headers struct {
		Request struct {
			Add     map[string]jsontext.Value `json:"add"`
			Set     map[string][]string       `json:"set"`
			Delete  []string                  `json:"delete"`
			Replace map[string]jsontext.Value `json:"replace"`
		} `json:"request"`
	} `json:"headers"`
}

// forwards reports whether the handler is a reverse_proxy, in JSON, whose upstreams answer whatever it gets.
func (h *Handler) forwards() bool { return h.Name == proxyHandler && h.Raw != nil && !h.GoesOn() }

// GoesOn reports whether a reverse_proxy may hand the request on, as the one in forward_auth does.
func (h *Handler) GoesOn() bool {
	var p proxy
	return json.Unmarshal(h.Raw, &p) != nil || len(p.HandleResponse) > 0
}

// upstreamHost is the name of the upstream as a placeholder.
const upstreamHost = "{http.reverse_proxy.upstream.hostport}"

// sameRequest are the matchers and handlers with which a request that comes again takes the same
// way again: they look at nothing but host, path and method, and change none of these.
var (
	sameMatchers = []string{"host", "path", "method"}
	sameHandlers = []string{
		gatewayHandler, builtInHandler, loginHandler, proxyHandler, subroute, authentication, "encode", "log_append", "request_body",
		"static_response", "error", "metrics", "timeouts", "tracing",
	}
)

// leadsBack returns the upstream of a reverse_proxy that leads to the gateway in front of it. hosts
// are those by which the gateway is asked, none for all.
func (s *site) leadsBack(p step, hosts []string) (string, bool) {
	var read proxy
	if p.Name != proxyHandler || p.Raw == nil || json.Unmarshal(p.Raw, &read) != nil ||
		read.Dynamic != nil || read.Rewrite != nil || len(read.HandleResponse) > 0 || !takesTheSameWay(s.routes) {
		return "", false
	}
	for _, upstream := range read.Upstreams {
		host, ours := s.ownHost(upstream.Dial)
		if ours && read.keepsHost() || ours && read.namesUpstream() && (len(hosts) == 0 || slices.Contains(hosts, host)) {
			return upstream.Dial, true
		}
	}
	return "", false
}

// takesTheSameWay reports whether all routes are certain to do again what they did.
func takesTheSameWay(routes []Route) bool {
	return !slices.ContainsFunc(routes, func(r Route) bool {
		return slices.ContainsFunc(r.Matchers, func(m string) bool { return !slices.Contains(sameMatchers, m) }) ||
			slices.ContainsFunc(r.Handlers, func(h Handler) bool {
				return !slices.Contains(sameHandlers, h.Name) || !takesTheSameWay(h.Routes)
			})
	})
}

// keepsHost reports whether the upstream is asked by the name by which the gateway was asked.
func (p *proxy) keepsHost() bool {
	request := p.Headers.Request
	for _, changed := range []map[string]jsontext.Value{request.Add, request.Replace} {
		for name := range changed {
			if strings.EqualFold(name, "Host") {
				return false
			}
		}
	}
	for name := range request.Set {
		if strings.EqualFold(name, "Host") {
			return false
		}
	}
	return p.Transport.TLS == nil && !slices.ContainsFunc(request.Delete, func(name string) bool { return strings.EqualFold(name, "Host") })
}

// namesUpstream reports whether the upstream is asked by its own name.
func (p *proxy) namesUpstream() bool {
	host := p.Headers.Request.Set["Host"]
	return len(host) == 1 && host[0] == upstreamHost || len(host) == 0 && p.Transport.TLS != nil
}

// ownHost returns the host of an upstream's address, and whether the server listens there.
func (s *site) ownHost(dial string) (string, bool) {
	to, err := caddy.ParseNetworkAddress(dial)
	if err != nil || strings.Contains(dial, "{") || to.PortRangeSize() != 1 {
		return "", false
	}
	return to.Host, slices.ContainsFunc(s.server.Listen, func(listen string) bool {
		on, err := caddy.ParseNetworkAddress(listen)
		if err != nil || on.IsUnixNetwork() != to.IsUnixNetwork() || on.IsFdNetwork() || to.IsFdNetwork() {
			return false
		}
		if on.IsUnixNetwork() {
			path, _, _ := strings.Cut(on.Host, "|")
			return path == to.Host
		}
		return on.StartPort <= to.StartPort && to.StartPort <= on.EndPort && reaches(to.Host, on.Host)
	})
}

// reaches reports whether a connection to one host is certain to arrive at a listener on the other.
func reaches(to, on string) bool {
	target, err := netip.ParseAddr(to)
	if isName := err != nil; isName {
		if to != "" && to != "localhost" {
			return false // a name may mean another address elsewhere
		}
		listening, err := netip.ParseAddr(on)
		return on == "" || on == "localhost" || err == nil && (listening.IsLoopback() || listening.IsUnspecified())
	}
	listening, err := netip.ParseAddr(on)
	switch {
	case on == "" || err == nil && listening.IsUnspecified():
		return target.IsLoopback() || target.IsUnspecified() || isOwn(target)
	case err != nil:
		return on == "localhost" && target.IsLoopback()
	default:
		return target == listening
	}
}

// isOwn reports whether an interface of this machine has the address.
func isOwn(address netip.Addr) bool {
	all, err := net.InterfaceAddrs()
	return err == nil && slices.ContainsFunc(all, func(a net.Addr) bool {
		prefix, err := netip.ParsePrefix(a.String())
		return err == nil && prefix.Addr() == address
	})
}
