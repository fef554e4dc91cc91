package layout

import (
	"errors"
	"slices"
	"strings"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"github.com/caddyserver/caddy/v2/modules/caddytls"
	"github.com/go-json-experiment/json"

	"github.com/fielato/fielato/caddymodule/internal/local"
)

const (
	consoleHandler = "wsfev1_console"
	intercept      = "intercept"
	invoke         = "invoke"
)

// asksNobody are the handlers that authenticate nobody. Any other handler may.
var asksNobody = slices.DeleteFunc(append([]string{builtInHandler, "error", "file_server", "metrics", "static_response"}, passing...),
	func(name string) bool { return name == authentication })

var errOpenConsole = errors.New("wsfev1_console shows invoices, other machines reach it here, and nothing in front of it asks who they are: " +
	"put basic_auth, forward_auth or client certificates in front of it, or bind the site to 127.0.0.1; if everybody who reaches it may see it, say so with the option public")

// CheckConsoles returns an error if others than this machine certainly reach a console of the server
// without being asked who they are. It looks at the same routes as Check, at those for errors and at the
// named ones that something invokes.
func CheckConsoles(server *caddyhttp.Server) error {
	if local.AreAddresses(server.Listen) || checksCertificates(server) {
		return nil
	}
	f := openConsoles{server.NamedRoutes, map[string]bool{}}
	_, open := f.find(Routes(server.Routes), false)
	if server.Errors != nil && !open {
		// A refusal to let somebody in is an error: whoever is refused comes here.
		_, open = f.find(Routes(server.Errors.Routes), false)
	}
	if open {
		return errOpenConsole
	}
	return nil
}

// openConsoles looks for consoles that nothing asks in front of.
type openConsoles struct {
	named map[string]*caddyhttp.Route
	// within are the named routes around the list that is looked at: one may invoke itself.
	within map[string]bool
}

// find looks at a list of routes. asks: it asks who the readers are before it hands a request on. open: it
// has a console with nothing in front that asks. asked: something in front of the list may have asked.
func (f *openConsoles) find(list []Route, asked bool) (asks, open bool) {
	var guards []Route // those that may ask, and then hand the request on
	for _, r := range list {
		before := asked || slices.ContainsFunc(guards, func(g Route) bool { return g.mayPrecede(r) })
		now := before
		for _, h := range r.Handlers {
			inside, found := f.visit(h, now)
			if found {
				return false, true
			}
			now = now || inside
		}
		if now && !before && !r.terminal {
			guards = append(guards, r)
		}
	}
	return len(guards) > 0, false
}

// visit is find for one handler.
func (f *openConsoles) visit(h Handler, asked bool) (asks, open bool) {
	if _, open = f.find(h.errors, false); open {
		return false, true
	}
	if h.IsSubroute() {
		return f.find(h.Routes, asked)
	}
	switch h.Name {
	case intercept:
		_, open = f.find(h.Routes, asked)
		return false, open
	case invoke:
		route := f.named[h.invokes]
		if route == nil || f.within[h.invokes] {
			return false, false // Caddy answers with an error
		}
		f.within[h.invokes] = true
		defer delete(f.within, h.invokes)
		return f.find(Routes(caddyhttp.RouteList{*route}), asked)
	case consoleHandler:
		return false, !asked && h.Raw != nil && !isPublic(h)
	}
	return h.mayAsk(), false
}

// mayPrecede reports whether one request may take both routes of a list, this one first.
func (r *Route) mayPrecede(later Route) bool {
	if r.Group != "" && r.Group == later.Group {
		return false // one route alone is taken of a group
	}
	return !r.bound || !later.bound || slices.ContainsFunc(r.Hosts, func(host string) bool {
		return strings.ContainsAny(host, "*{") || slices.ContainsFunc(later.Hosts, func(other string) bool {
			return strings.ContainsAny(other, "*{") || strings.EqualFold(host, other)
		})
	})
}

// mayAsk reports whether a handler may ask who the client is: basic_auth, forward_auth, and any handler
// that is not known here.
func (h *Handler) mayAsk() bool {
	return !slices.Contains(asksNobody, h.Name) && (h.Name != proxyHandler || h.GoesOn())
}

// isPublic reports whether a console in JSON says that everybody may see it.
func isPublic(console Handler) bool {
	var read struct {
		Public bool `json:"public"`
	}
	return json.Unmarshal(console.Raw, &read) != nil || read.Public
}

// checksCertificates reports whether the server verifies the certificates of some clients. The modes
// request and require alone do not: anybody can make a certificate for themselves.
func checksCertificates(server *caddyhttp.Server) bool {
	return slices.ContainsFunc(server.TLSConnPolicies, func(policy *caddytls.ConnectionPolicy) bool {
		if policy == nil || policy.ClientAuthentication == nil {
			return false
		}
		switch asked := policy.ClientAuthentication; asked.Mode {
		case "":
			return asked.CARaw != nil || len(asked.TrustedCACerts)+len(asked.TrustedCACertPEMFiles) > 0 //nolint:staticcheck // configurations still have them
		default:
			return asked.Mode == "require_and_verify" || asked.Mode == "verify_if_given"
		}
	})
}
