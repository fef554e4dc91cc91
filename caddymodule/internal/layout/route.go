package layout

import (
	"maps"
	"slices"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// route is a route of Caddy, as JSON or loaded.
type route struct {
	group    string
	terminal bool
	// loaded: Caddy has provisioned the handlers.
	loaded   bool
	matchers []string // their names
	hosts    []string // what a matcher host names
	// bound: the route gets no request for another host than those.
	bound    bool
	handlers []handler
}

// handler is a handler of a route.
type handler struct {
	name string
	// raw is the handler as JSON, nil for a loaded one.
	raw jsontext.Value
	// routes are the routes of a subroute, or the routes of intercept for answers.
	routes []route
	// errors are the routes for errors of a subroute.
	errors []route
	// invokes is the name of the route that an invoke hands the request to.
	invokes string
}

// groups returns those around a route, and its own.
func (r *route) groups(around []string) []string {
	if r.group == "" {
		return around
	}
	return append(slices.Clip(around), r.group)
}

// routesOf reads the routes of a server, or of a subroute that is loaded.
func routesOf(list caddyhttp.RouteList) (routes []route) {
	for i := range list {
		from := &list[i]
		r := route{group: from.Group, terminal: from.Terminal, loaded: from.HandlersRaw == nil}
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
			r.handlers = append(r.handlers, readHandler(raw))
		}
		if r.loaded {
			for _, h := range from.Handlers {
				r.handlers = append(r.handlers, loadedHandler(h))
			}
		}
		routes = append(routes, r)
	}
	return routes
}

// unknown is the name of what cannot be read; Caddy itself reports it.
const unknown = "?"

func moduleName(value any) string {
	if m, ok := value.(caddy.Module); ok {
		return m.CaddyModule().ID.Name()
	}
	return unknown
}

func loadedHandler(h caddyhttp.MiddlewareHandler) handler {
	loaded := handler{name: moduleName(h)}
	switch known := h.(type) {
	case *caddyhttp.Subroute:
		loaded.routes = routesOf(known.Routes)
		if known.Errors != nil {
			loaded.errors = routesOf(known.Errors.Routes)
		}
	case *caddyhttp.Invoke:
		loaded.invokes = known.Name
	}
	return loaded
}

// addLoaded adds the matchers of a set that is loaded.
func (r *route) addLoaded(set caddyhttp.MatcherSet) {
	for _, m := range set {
		r.matchers = append(r.matchers, moduleName(m))
		switch hosts := m.(type) {
		case *caddyhttp.MatchHost:
			r.hosts = append(r.hosts, *hosts...)
		case caddyhttp.MatchHost:
			r.hosts = append(r.hosts, hosts...)
		}
	}
}

// addMatchers adds the matchers of a set in JSON.
func (r *route) addMatchers(set caddy.ModuleMap) {
	r.matchers = append(r.matchers, slices.Collect(maps.Keys(set))...)
	var hosts []string
	if json.Unmarshal(set["host"], &hosts) == nil {
		r.hosts = append(r.hosts, hosts...)
	}
}

// readHandler reads a handler in JSON.
func readHandler(raw []byte) handler {
	var read struct {
		Handler   string                      `json:"handler"`
		Name      string                      `json:"name"`
		Routes    []caddyhttp.Route           `json:"routes"`
		Errors    *caddyhttp.HTTPErrorConfig  `json:"errors"`
		Responses []caddyhttp.ResponseHandler `json:"handle_response"`
	}
	if json.Unmarshal(raw, &read) != nil {
		return handler{name: unknown}
	}
	h := handler{name: read.Handler, raw: raw, routes: routesOf(read.Routes), invokes: read.Name}
	if read.Handler == intercept {
		for _, response := range read.Responses {
			h.routes = append(h.routes, routesOf(response.Routes)...)
		}
	}
	if read.Handler == subroute && read.Errors != nil {
		// The routes for errors matter to consoles alone. Check takes the handler for one that may do
		// anything.
		h.name, h.errors = unknown, routesOf(read.Errors.Routes)
	}
	return h
}
