package layout

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Finding is something around a gateway with which it would not do what was meant, though Caddy would
// serve it.
type Finding struct {
	// Line is where the gateway stands, such as Caddyfile:12, empty if the configuration does not say.
	Line string
	// Site are the names by which it is asked, or the addresses where the server listens.
	Site string
	// Refused: the configuration does not start.
	Refused bool
	// Found is the mistake, and Cure its remedy.
	Found, Cure string
}

// String returns the finding as a log has it: where, what, and the cure.
func (f Finding) String() string {
	where := "site " + f.Site
	if f.Line != "" {
		where = f.Line + ": " + where
	}
	return where + ": " + f.Found + ": " + f.Cure
}

// reviewed is a gateway with its surroundings.
type reviewed struct {
	gateway struct {
		Line            string         `json:"line"`
		UpstreamTimeout caddy.Duration `json:"upstream_timeout"`
		Deadlines       struct {
			Issuing caddy.Duration `json:"issuing"`
		} `json:"deadlines"`
	}
	behind []step
	grace  time.Duration
}

// upstreamTimeout is the default of the option upstream_timeout.
const upstreamTimeout = 2 * time.Minute

// Review looks at the routes of a server that Caddy has not finished to provision. grace is the option
// grace_period, 0 for none.
func Review(server *caddyhttp.Server, grace time.Duration) (all []Finding) {
	s := &site{server: server, routes: Routes(server.Routes)}
	for i, r := range s.routes {
		if r.loaded {
			continue
		}
		about := Finding{Site: strings.Join(r.Hosts, " ")}
		if about.Site == "" {
			about.Site = strings.Join(server.Listen, " ")
		}
		var found []Finding
		next := s.flatten(s.routes[i+1:], r.groups(nil), false)
		s.gateways(s.routes[i:i+1], next, nil, func(raw jsontext.Value, behind []step) {
			g := reviewed{behind: behind, grace: grace}
			if raw == nil || json.Unmarshal(raw, &g.gateway) != nil {
				return // Caddy's own error says so
			}
			if about.Line == "" {
				about.Line = g.gateway.Line
			}
			found = append(append(found, g.review()...), reviewBehind(raw, behind)...)
		})
		if about.Line == "" && !hasGateway(s.routes[i:i+1]) {
			continue
		}
		found = append(found, reviewAccounts(s.routes[:i+1])...)
		found = append(found, s.reviewPaths(s.routes[i:i+1], next)...)
		found = append(found, reviewFront(s.routes[:i+1], i)...)
		for _, f := range found {
			f.Site = about.Site
			if f.Line == "" {
				f.Line = about.Line
			}
			if !slices.Contains(all, f) {
				all = append(all, f)
			}
		}
	}
	return all
}

// hasGateway reports whether a gateway stands in a list of routes.
func hasGateway(list []Route) bool {
	return slices.ContainsFunc(list, func(r Route) bool {
		return slices.ContainsFunc(r.Handlers, func(h Handler) bool { return h.Name == gatewayHandler || hasGateway(h.Routes) })
	})
}

// review looks at the services behind a gateway.
func (g *reviewed) review() (all []Finding) {
	for _, p := range g.behind {
		if !p.forwards() {
			continue
		}
		for _, f := range g.reviewProxy(p.Raw) {
			f.Line = g.gateway.Line
			all = append(all, f)
		}
	}
	return all
}

// slowest is how long the authority's service takes to answer at times.
const slowest = time.Minute

// reviewProxy looks at a reverse_proxy behind a gateway.
func (g *reviewed) reviewProxy(raw jsontext.Value) (all []Finding) {
	var p proxy
	if json.Unmarshal(raw, &p) != nil {
		return nil
	}
	if len(p.Upstreams) == 0 && p.Dynamic == nil {
		return []Finding{{
			Refused: true, Found: "reverse_proxy behind wsfev1 has no address, so nothing would be answered",
			Cure: "give the address of the service; if a variable such as {$NAME} stands for it, set that where the gateway starts",
		}}
	}
	var more struct {
		Balancing struct {
			Retries int            `json:"retries"`
			Try     caddy.Duration `json:"try_duration"`
		} `json:"load_balancing"`
		Transport struct {
			Header caddy.Duration `json:"response_header_timeout"`
		} `json:"transport"`
	}
	if json.Unmarshal(raw, &more) != nil {
		return nil
	}
	if b := more.Balancing; b.Retries > 0 || b.Try > 0 {
		all = append(all, Finding{
			Found: "reverse_proxy behind wsfev1 tries requests again, and could send one that issues twice",
			Cure:  "remove lb_retries, lb_try_duration and lb_retry_match: the gateway itself repeats what may be repeated",
		})
	}
	waits := time.Duration(more.Transport.Header)
	all = append(all, g.reviewWaits(waits)...)
	longest := cmp.Or(time.Duration(g.gateway.Deadlines.Issuing), time.Duration(g.gateway.UpstreamTimeout), upstreamTimeout)
	if waits > 0 {
		longest = min(longest, waits)
	}
	if g.grace > 0 && g.grace < longest {
		all = append(all, Finding{
			Found: "grace_period " + g.grace.String() + " is shorter than the " + longest.String() + " for which the service may be waited for: a stop or a reload cuts clients off whose invoices are under way",
			Cure:  "write a longer grace_period in the global options, or leave it out",
		})
	}
	return all
}

// reviewWaits looks at how long an invoice may take at the service. waits is the option response_header_timeout.
func (g *reviewed) reviewWaits(waits time.Duration) (all []Finding) {
	whole, issuing := time.Duration(g.gateway.UpstreamTimeout), time.Duration(g.gateway.Deadlines.Issuing)
	if issuing > 0 {
		whole = 0 // it counts in place of upstream_timeout
	}
	for _, limit := range []struct {
		option string
		is     time.Duration
		cure   string
	}{{"response_header_timeout", waits, "65s"}, {"upstream_timeout", whole, "2m"}, {"deadline issuing", issuing, "2m"}} {
		if limit.is > 0 && limit.is < slowest {
			all = append(all, Finding{
				Found: limit.option + " " + limit.is.String() + " is shorter than the service takes at times, and issued invoices would count as unknown until they are found out",
				Cure:  "write " + limit.option + " " + limit.cure,
			})
		}
	}
	return all
}
