package layout

import (
	"cmp"
	"slices"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/fielato/fielato/caddymodule/internal/environment"
	"github.com/fielato/fielato/wsaa/credential"
)

// Environment returns the authority's environment whose figures hold for the gateways of the route that
// Caddy is provisioning: homo or prod, no text where they stand in front of another service, or of
// several. The built-in service has the figures of production.
func Environment(server *caddyhttp.Server) string {
	found := common(ofGateways(server, environmentBehind))
	return map[credential.Environment]string{credential.Testing: "homo", credential.Production: "prod"}[found]
}

// ServiceEnvironment returns the environment of the service behind the gateways of the route that Caddy is
// provisioning, as records name it. It is empty where the addresses do not tell, where they are of several, and where
// another handler may answer some of the requests.
func ServiceEnvironment(server *caddyhttp.Server) environment.Environment {
	found := common(ofGateways(server, func(_ jsontext.Value, behind []step) environment.Environment { return serviceBehind(behind) }))
	if found == environment.Another {
		return ""
	}
	return found
}

// ofGateways returns what of returns for each of the gateways of the route that Caddy is provisioning.
func ofGateways[T any](server *caddyhttp.Server, of func(gateway jsontext.Value, behind []step) T) (found []T) {
	s := &site{server: server, routes: Routes(server.Routes)}
	i := slices.IndexFunc(s.routes, func(r Route) bool { return !r.loaded })
	if i < 0 {
		return nil
	}
	next := s.flatten(s.routes[i+1:], s.routes[i].groups(nil), false)
	s.gateways(s.routes[i:i+1], next, nil, func(gateway jsontext.Value, behind []step) {
		found = append(found, of(gateway, behind))
	})
	return found
}

// gateways calls each for the gateways in a list of routes, which next follows, with the handlers that
// may get their requests. groups are the groups of routes around the list.
func (s *site) gateways(list []Route, next []step, groups []string, each func(gateway jsontext.Value, behind []step)) {
	for i, r := range list {
		inside := r.groups(groups)
		rest := append(s.flatten(list[i+1:], inside, false), next...)
		if r.terminal {
			rest = nil
		}
		for j, h := range r.Handlers {
			behind := append(s.flatten([]Route{{Handlers: r.Handlers[j+1:]}}, inside, false), rest...)
			switch h.Name {
			case gatewayHandler:
				each(h.Raw, behind)
			case subroute:
				s.gateways(h.Routes, behind, inside, each)
			}
		}
	}
}

// environmentBehind returns the environment of the service behind a gateway, or else of the login services where
// the gateway gets its tickets.
func environmentBehind(gateway jsontext.Value, behind []step) credential.Environment {
	switch serviceBehind(behind) {
	case environment.Production, environment.BuiltIn:
		return credential.Production
	case environment.Testing:
		return credential.Testing
	case environment.Another:
		return credential.Other
	}
	var found []credential.Environment
	for _, login := range loginsOf(gateway) {
		found = append(found, loginEnvironment(login))
	}
	return common(found)
}

// serviceBehind returns the environment of the service that certainly gets the requests of a gateway, Another if its
// addresses do not tell or differ; empty if no service is certain.
func serviceBehind(behind []step) environment.Environment {
	var found []environment.Environment
	for _, upstream := range certainUpstreams(behind) {
		of := environment.Another
		if to, err := caddy.ParseNetworkAddress(upstream); err == nil && to.Host != "" {
			of = environment.OfUpstream(to.Host)
		}
		found = append(found, of)
	}
	if len(found) > 0 {
		return cmp.Or(common(found), environment.Another)
	}
	service := slices.IndexFunc(behind, func(p step) bool { return !slices.Contains(passing, p.Name) })
	if service >= 0 && behind[service].Name == builtInHandler && !behind[service].sometimes {
		return environment.BuiltIn
	}
	return ""
}

// common returns what all of them are, zero if they differ or there are none.
func common[T comparable](all []T) (none T) {
	if len(all) == 0 || slices.ContainsFunc(all, func(e T) bool { return e != all[0] }) {
		return none
	}
	return all[0]
}
