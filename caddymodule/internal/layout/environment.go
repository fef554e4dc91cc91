package layout

import (
	"fmt"
	"slices"

	"github.com/caddyserver/caddy/v2"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/fielato/fielato/wsaa/credential"
)

// checkEnvironment refuses a gateway that logs in at one of the authority's environments and sends the
// tickets to the service of the other one. behind are the handlers that may get its requests.
func checkEnvironment(gateway jsontext.Value, behind []step) error {
	logins := loginsOf(gateway)
	if len(logins) == 0 {
		return nil
	}
	for _, upstream := range certainUpstreams(behind) {
		to, err := caddy.ParseNetworkAddress(upstream)
		if err != nil {
			continue // Caddy's own error says so
		}
		service := credential.ServiceEnvironment(to.Host)
		for _, login := range logins {
			of := loginEnvironment(login)
			if of != credential.Other && service != credential.Other && of != service {
				return fmt.Errorf("wsaa %s logs in for %s, and the service behind wsfev1, %s, is that of %s, which refuses such tickets: use the same environment for both",
					login, of, to.Host, service)
			}
		}
	}
	return nil
}

// loginsOf returns the login services of a gateway in JSON, none if it is loaded already.
func loginsOf(gateway jsontext.Value) (logins []string) {
	var read struct {
		Wsaa []struct {
			Login string `json:"login"`
		} `json:"wsaa"`
	}
	if gateway != nil && json.Unmarshal(gateway, &read) == nil {
		for _, w := range read.Wsaa {
			logins = append(logins, w.Login)
		}
	}
	return logins
}

// certainUpstreams returns the upstreams of the reverse_proxy that gets every request, none if another
// handler may get some of them.
func certainUpstreams(behind []step) (dials []string) {
	for _, p := range behind {
		if slices.Contains(passing, p.Name) {
			continue
		}
		if !p.forwards() || p.sometimes {
			return nil
		}
		return p.upstreams()
	}
	return nil
}

// upstreams returns the upstreams of a reverse_proxy in JSON.
func (h Handler) upstreams() (dials []string) {
	var read proxy
	if json.Unmarshal(h.Raw, &read) != nil {
		return nil
	}
	for _, upstream := range read.Upstreams {
		dials = append(dials, upstream.Dial)
	}
	return dials
}

// loginEnvironment returns the environment of a login service, by its word or address.
func loginEnvironment(login string) credential.Environment {
	switch login {
	case "homo":
		return credential.Testing
	case "prod":
		return credential.Production
	}
	return credential.EnvironmentOf(login)
}
