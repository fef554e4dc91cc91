package layout

import (
	"slices"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/fielato/fielato/wsaa/credential"
)

// Environment returns the authority's environment whose figures hold for the gateways of the route that
// Caddy is provisioning: homo or prod, no text where they stand in front of another service, or of
// several. The built-in service has the figures of production.
func Environment(server *caddyhttp.Server) string {
	s := &site{server: server, routes: Routes(server.Routes)}
	i := slices.IndexFunc(s.routes, func(r Route) bool { return !r.loaded })
	if i < 0 {
		return ""
	}
	var found []credential.Environment
	next := s.flatten(s.routes[i+1:], s.routes[i].groups(nil), false)
	s.gateways(s.routes[i:i+1], next, nil, func(gateway jsontext.Value, behind []step) {
		found = append(found, environmentBehind(gateway, behind))
	})
	return map[credential.Environment]string{credential.Testing: "homo", credential.Production: "prod"}[common(found)]
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
	var found []credential.Environment
	for _, upstream := range certainUpstreams(behind) {
		of := credential.Other
		if to, err := caddy.ParseNetworkAddress(upstream); err == nil {
			of = credential.ServiceEnvironment(to.Host)
		}
		found = append(found, of)
	}
	if len(found) > 0 {
		return common(found)
	}
	service := slices.IndexFunc(behind, func(p step) bool { return !slices.Contains(passing, p.Name) })
	if service >= 0 && behind[service].Name == builtInHandler && !behind[service].sometimes {
		return credential.Production
	}
	for _, login := range loginsOf(gateway) {
		found = append(found, loginEnvironment(login))
	}
	return common(found)
}

// common returns the environment that all of them are, Other if they differ.
func common(all []credential.Environment) credential.Environment {
	if len(all) == 0 || slices.ContainsFunc(all, func(e credential.Environment) bool { return e != all[0] }) {
		return credential.Other
	}
	return all[0]
}
