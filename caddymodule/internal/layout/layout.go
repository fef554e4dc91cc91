package layout

import (
	"errors"
	"fmt"
	"slices"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"github.com/go-json-experiment/json/jsontext"
)

// The handlers that matter here, by their names in http.handlers.
const (
	gatewayHandler = "wsfev1"
	builtInHandler = "wsfev1_backend"
	loginHandler   = "wsfev1_wsaa"
	proxyHandler   = "reverse_proxy"
	subroute       = "subroute"
)

// passing are the handlers that always hand the request to the next one, or refuse it: none of
// them is a service. The login service answers what a gateway never lets pass.
var passing = []string{
	gatewayHandler, loginHandler, authentication, "encode", "headers", "log_append", "map", "push", "request_body", "rewrite",
	"templates", "timeouts", "tracing", "vars",
}

var errNothingBehind = errors.New("no handler stands behind wsfev1, so nothing would answer what it lets pass: " +
	"put reverse_proxy with the address of the service behind it in the same block, or wsfev1_backend, the built-in service")

// Check returns an error if a gateway of the server certainly cannot work. It looks at the routes
// whose handlers Caddy has not finished to provision, among them the route of the handler that
// calls it and those behind: nothing else can stand behind a gateway.
func Check(server *caddyhttp.Server) error {
	s := &site{server: server, routes: Routes(server.Routes)}
	return s.visitAll()
}

// site is a server with its routes.
type site struct {
	server *caddyhttp.Server
	routes []Route
	// found is called for each gateway, as JSON, with the handlers behind it, unless it is nil.
	found func(gateway jsontext.Value, behind []step)
}

// visitAll visits the routes whose handlers Caddy has not finished to provision.
func (s *site) visitAll() error {
	for i, r := range s.routes {
		if r.loaded {
			continue
		}
		next := s.flatten(s.routes[i+1:], r.groups(nil), false)
		if err := s.visit(s.routes[i:i+1], next, next, nil, nil); err != nil {
			return err
		}
	}
	return nil
}

// step is a handler that may get a request after a gateway.
type step struct {
	Handler
	// sometimes: matchers decide whether the handler gets the request.
	sometimes bool
}

// visit checks the gateways and the services in a list of routes, which next follows. surely is the
// part of next that gets no request but those that the list gets too. groups are the groups of routes
// around the list, and hosts those that their matchers name.
func (s *site) visit(list []Route, next, surely []step, groups, hosts []string) error {
	for i, r := range list {
		inside, named := r.groups(groups), append(slices.Clip(hosts), r.Hosts...)
		after := s.flatten(list[i+1:], inside, false)
		rest, sure := append(slices.Clip(after), next...), append(slices.Clip(after), surely...)
		if r.terminal {
			rest = nil
		}
		if r.terminal || len(r.Matchers) > 0 || r.Group != "" {
			sure = nil // others may get there without
		}
		for j, h := range r.Handlers {
			with := s.flatten([]Route{{Handlers: r.Handlers[j+1:]}}, inside, false)
			behind, surely := append(slices.Clip(with), rest...), append(slices.Clip(with), sure...)
			var err error
			switch h.Name {
			case gatewayHandler:
				if s.found != nil {
					s.found(h.Raw, behind)
				}
				err = errors.Join(checkLogin(h.Name, surely), s.check(behind, named), checkEnvironment(h.Raw, behind))
			case builtInHandler:
				err = checkLogin(h.Name, surely)
			case subroute:
				err = s.visit(h.Routes, behind, surely, inside, named)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// flatten returns the handlers of routes in the order in which a request meets them. It leaves out the
// routes of the groups: of a group one route alone is taken.
func (s *site) flatten(list []Route, groups []string, sometimes bool) (steps []step) {
	for _, r := range list {
		if r.Group != "" && slices.Contains(groups, r.Group) {
			continue
		}
		conditional := sometimes || len(r.Matchers) > 0 || r.Group != ""
		for _, h := range r.Handlers {
			if h.Name == subroute {
				steps = append(steps, s.flatten(h.Routes, groups, conditional)...)
				continue
			}
			steps = append(steps, step{h, conditional})
		}
	}
	return steps
}

// check looks at what stands behind one gateway.
func (s *site) check(behind []step, hosts []string) error {
	if !slices.ContainsFunc(behind, func(p step) bool { return !slices.Contains(passing, p.Name) }) {
		return errNothingBehind
	}
	if err := checkOneService(behind); err != nil {
		return err
	}
	for _, p := range behind {
		if address, ok := s.leadsBack(p, hosts); ok {
			return fmt.Errorf("reverse_proxy %s behind wsfev1 is the gateway itself, which listens there: give the address of the service", address)
		}
	}
	return nil
}

// checkOneService refuses two services of which only the first can ever be asked.
func checkOneService(behind []step) error {
	services := slices.DeleteFunc(slices.Clone(behind), func(p step) bool {
		return p.sometimes || p.Name != builtInHandler && (p.Name != proxyHandler || p.GoesOn())
	})
	for _, p := range services {
		if first := services[0].Name; p.Name != first {
			return fmt.Errorf("both wsfev1_backend and reverse_proxy stand behind wsfev1, and only the first, %s, would ever be asked: keep one of them", first)
		}
	}
	return nil
}
