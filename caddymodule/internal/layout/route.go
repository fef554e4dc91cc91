package layout

import (
	"maps"
	"slices"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Route is a route of Caddy, as JSON or loaded.
type Route struct {
	Group    string
	Matchers []string // their names
	Hosts    []string // what a matcher host names
	Handlers []Handler

	terminal bool
	// loaded: Caddy has provisioned the handlers.
	loaded bool
	// bound: the route gets no request for another host than those.
	bound bool
}

// Handler is a handler of a route.
type Handler struct {
	// Name is the end of the handler's module ID, such as reverse_proxy.
	Name string
	// Raw is the handler as JSON, nil for a loaded one.
	Raw jsontext.Value
	// Routes are the routes of a subroute, or the routes of intercept for answers.
	Routes []Route

	// errors are the routes for errors of a subroute.
	errors []Route
	// invokes is the name of the route that an invoke hands the request to.
	invokes string
}

// IsSubroute reports whether the handler is a subroute. The name of one with routes for errors is unknown.
func (h *Handler) IsSubroute() bool { return h.Name == subroute || h.errors != nil }

// groups returns those around a route, and its own.
func (r *Route) groups(around []string) []string {
	if r.Group == "" {
		return around
	}
	return append(slices.Clip(around), r.Group)
}

// Routes reads the routes of a server, or of a subroute that is loaded.
func Routes(list caddyhttp.RouteList) (routes []Route) {
	for i := range list {
		from := &list[i]
		r := Route{Group: from.Group, terminal: from.Terminal, loaded: from.HandlersRaw == nil}
		r.bound = len(from.MatcherSetsRaw)+len(from.MatcherSets) > 0
		for _, set := range from.MatcherSetsRaw {
			r.addMatchers(set)
			r.bound = r.bound && set["host"] != nil
		}
		for _, set := range from.MatcherSets {
			r.addLoaded(set)
			r.bound = r.bound && slices.ContainsFunc(set, func(m any) bool { return moduleName(m) == "host" })
		}
		for _, raw := range from.HandlersRaw {
			r.Handlers = append(r.Handlers, readHandler(raw))
		}
		if r.loaded {
			for _, h := range from.Handlers {
				r.Handlers = append(r.Handlers, loadedHandler(h))
			}
		}
		routes = append(routes, r)
	}
	return routes
}

// Gateways returns the gateways of routes that are still JSON, each as JSON, in the order in which they stand there.
func Gateways(list []Route) (all []jsontext.Value) {
	for _, r := range list {
		for _, h := range r.Handlers {
			if h.Name == gatewayHandler && h.Raw != nil {
				all = append(all, h.Raw)
			}
			all = append(append(all, Gateways(h.Routes)...), Gateways(h.errors)...)
		}
	}
	return all
}

// ServerGateways returns the gateways of a server that are still JSON.
func ServerGateways(server *caddyhttp.Server) (all []jsontext.Value) {
	all = Gateways(Routes(server.Routes))
	if server.Errors != nil {
		all = append(all, Gateways(Routes(server.Errors.Routes))...)
	}
	for _, name := range slices.Sorted(maps.Keys(server.NamedRoutes)) {
		all = append(all, Gateways(Routes(caddyhttp.RouteList{*server.NamedRoutes[name]}))...)
	}
	return all
}

// unknown is the name of what cannot be read; Caddy itself reports it.
const unknown = "?"

func moduleName(value any) string {
	if m, ok := value.(caddy.Module); ok {
		return m.CaddyModule().ID.Name()
	}
	return unknown
}

func loadedHandler(h caddyhttp.MiddlewareHandler) Handler {
	loaded := Handler{Name: moduleName(h)}
	switch known := h.(type) {
	case *caddyhttp.Subroute:
		loaded.Routes = Routes(known.Routes)
		if known.Errors != nil {
			loaded.errors = Routes(known.Errors.Routes)
		}
	case *caddyhttp.Invoke:
		loaded.invokes = known.Name
	}
	return loaded
}

// addLoaded adds the matchers of a set that is loaded.
func (r *Route) addLoaded(set caddyhttp.MatcherSet) {
	for _, m := range set {
		r.Matchers = append(r.Matchers, moduleName(m))
		switch hosts := m.(type) {
		case *caddyhttp.MatchHost:
			r.Hosts = append(r.Hosts, *hosts...)
		case caddyhttp.MatchHost:
			r.Hosts = append(r.Hosts, hosts...)
		}
	}
}

// addMatchers adds the matchers of a set in JSON.
func (r *Route) addMatchers(set caddy.ModuleMap) {
	r.Matchers = append(r.Matchers, slices.Collect(maps.Keys(set))...)
	var hosts []string
	if json.Unmarshal(set["host"], &hosts) == nil {
		r.Hosts = append(r.Hosts, hosts...)
	}
}

// readHandler reads a handler in JSON.
func readHandler(raw []byte) Handler {
	var read struct {
		Handler   string                      `json:"handler"`
		Name      string                      `json:"name"`
		Routes    []caddyhttp.Route           `json:"routes"`
		Errors    *caddyhttp.HTTPErrorConfig  `json:"errors"`
		Responses []caddyhttp.ResponseHandler `json:"handle_response"`
	}
	if json.Unmarshal(raw, &read) != nil {
		return Handler{Name: unknown}
	}
	h := Handler{Name: read.Handler, Raw: raw, Routes: Routes(read.Routes), invokes: read.Name}
	if read.Handler == intercept {
		for _, response := range read.Responses {
			h.Routes = append(h.Routes, Routes(response.Routes)...)
		}
	}
	if read.Handler == subroute && read.Errors != nil {
		// The routes for errors matter to consoles alone. Check takes the handler for one that may do
		// anything.
		h.Name, h.errors = unknown, Routes(read.Errors.Routes)
	}
	return h
}
