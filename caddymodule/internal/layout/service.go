package layout

import (
	"bytes"
	"fmt"
	"net"
	"slices"
	"strings"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/fielato/fielato/wsaa/credential"
)

// Service is what answers the requests that a gateway lets pass.
type Service struct {
	// Audit is the option audit of the gateway in JSON, nil for its default.
	Audit []byte
	// Address is wsfev1_backend, the built-in service, or the upstreams of a reverse_proxy, sorted,
	// with a comma between them.
	Address string
	// Sometimes: matchers decide whether it gets a request.
	Sometimes bool
}

// Services returns the services that stand behind the gateways of a server, without those that cannot
// be told from the routes. It looks at the same routes as Check.
func Services(server *caddyhttp.Server) (all []Service) {
	s := &site{server: server, routes: Routes(server.Routes)}
	s.found = func(gateway jsontext.Value, behind []step) {
		if gateway != nil {
			all = append(all, servicesBehind(auditOf(gateway), behind)...)
		}
	}
	_ = s.visitAll() // Check reports it
	return all
}

// servicesBehind returns the services that may get requests, up to the one that gets all that is left.
func servicesBehind(audit []byte, behind []step) (all []Service) {
	for _, p := range behind {
		service := Service{Audit: audit, Sometimes: p.sometimes}
		switch {
		case slices.Contains(passing, p.Name):
			continue
		case p.Name == builtInHandler:
			service.Address = builtInHandler
		case p.forwards():
			service.Address = strings.Join(slices.Compact(slices.Sorted(slices.Values(p.upstreams()))), ",")
		default:
			return all // it may do anything
		}
		if service.Address != "" {
			all = append(all, service)
		}
		if !p.sometimes {
			return all
		}
	}
	return all
}

// IsBuiltIn reports whether it is the built-in service.
func (s Service) IsBuiltIn() bool { return s.Address == builtInHandler }

func auditOf(gateway jsontext.Value) []byte {
	var read struct {
		Audit jsontext.Value `json:"audit"`
	}
	if json.Unmarshal(gateway, &read) != nil {
		return nil
	}
	return bytes.Clone(read.Audit)
}

// OnOneTrail returns an error if one trail must not serve both services: a request to the real one that
// was sent to the other before would be answered from the trail with an authorisation that does not
// exist. differ reports that they may be two, which only their operator can tell: two addresses, or one
// service for some of the requests.
func OnOneTrail(one, other Service) (differ bool, err error) {
	a, b := one.environment(), other.environment()
	switch {
	case one.Address == other.Address:
		return false, nil
	case one.Sometimes || other.Sometimes:
		return true, nil // which of them issues is not known
	case one.Address == builtInHandler || other.Address == builtInHandler:
		return true, fmt.Errorf("wsfev1_backend, whose CAEs are invented, and %s", realOf(one, other))
	case a != credential.Other && b != credential.Other && a != b:
		return true, fmt.Errorf("%s, which is ARCA's service for %s, and %s, which is the one for %s", one.Address, a, other.Address, b)
	}
	return a == credential.Other || b == credential.Other, nil
}

// realOf returns the address of the one that is not built in.
func realOf(one, other Service) string {
	if one.Address == builtInHandler {
		return other.Address
	}
	return one.Address
}

// environment returns the one of the authority's that the service is, or Other.
func (s Service) environment() credential.Environment {
	first, _, _ := strings.Cut(s.Address, ",")
	host, _, err := net.SplitHostPort(first)
	if err != nil {
		host = first
	}
	return credential.ServiceEnvironment(host)
}
