package doctor

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"github.com/go-json-experiment/json"

	"github.com/fielato/fielato/caddymodule/internal/checkpoint"
	"github.com/fielato/fielato/caddymodule/internal/cosigned"
	"github.com/fielato/fielato/caddymodule/internal/layout"
	"github.com/fielato/fielato/caddymodule/internal/timestamped"
)

// config is what a configuration has, as JSON.
type config struct {
	admin  string // empty if it is off
	listen []string
	sites  []site
	// gateways has each trail once.
	gateways  []gateway
	upstreams []upstream
	metrics   bool // a handler metrics
	// keeping are the gateways that keep access tickets.
	keeping []keeping
	// admissions are the gateways with clients or readers, consoles what stands in front of each console.
	admissions []admission
	consoles   []proof
	// builtIn: the built-in service stands in it; login: so does the login service for tests.
	builtIn, login bool
}

// site has handlers in the order in which a request meets them.
type site struct {
	// hosts are the names by which it is asked, none for all.
	hosts, listen, handlers []string
	// certificates: what clients need for TLS.
	certificates guard
	asked        asked
}

// front is what stands in front of a handler.
type front struct {
	guard guard
	users users
}

// and returns what stands there if both do.
func (f front) and(g front) front { return front{max(f.guard, g.guard), f.users.and(g.users)} }

// newSite returns the site that a server has at some hosts, none for all.
func newSite(listen, hosts []string, policies []tlsPolicy) site {
	judged := policiesOf(policies, hosts)
	return site{listen: listen, hosts: hosts, certificates: guardOf(judged), asked: askedBy(judged)}
}

// gateway is what matters here of a wsfev1.
type gateway struct {
	Audit struct {
		Store string `json:"store"`
		Path  string `json:"path"`
		DSN   string `json:"dsn"`
		Node  string `json:"node"`
		// Migrate is auto if the gateway makes the tables.
		Migrate string `json:"migrate"`
	} `json:"audit"`
	Trail struct {
		Key           string               `json:"key"`
		EncryptionKey string               `json:"encryption_key"`
		CheckpointTo  []checkpoint.Options `json:"checkpoint_to"`

		Witnesses        []cosigned.Options  `json:"witness"`
		Quorum           int                 `json:"quorum"`
		WitnessPolicy    string              `json:"witness_policy"`
		RequireWitnesses bool                `json:"require_witnesses"`
		Timestamp        timestamped.Options `json:"timestamp"`
	} `json:"trail"`
}

// readConfig reads a configuration, also one that is not valid.
func readConfig(adapted []byte) (*config, error) {
	var read struct {
		Admin struct {
			Disabled bool   `json:"disabled"`
			Listen   string `json:"listen"`
		} `json:"admin"`
		Apps struct {
			HTTP struct {
				Servers map[string]struct {
					Listen      []string                   `json:"listen"`
					Routes      caddyhttp.RouteList        `json:"routes"`
					NamedRoutes map[string]caddyhttp.Route `json:"named_routes"`
					Policies    []tlsPolicy                `json:"tls_connection_policies"`
				} `json:"servers"`
			} `json:"http"`
		} `json:"apps"`
	}
	if err := json.Unmarshal(adapted, &read); err != nil {
		return nil, fmt.Errorf("reading the configuration: %w", err)
	}
	c := &config{}
	if !read.Admin.Disabled {
		c.admin = cmp.Or(read.Admin.Listen, caddy.DefaultAdminListen)
	}
	for _, name := range slices.Sorted(maps.Keys(read.Apps.HTTP.Servers)) {
		from := read.Apps.HTTP.Servers[name]
		c.listen = append(c.listen, from.Listen...)
		rest := newSite(from.Listen, nil, from.Policies)
		before := front{}
		for _, r := range layout.Routes(from.Routes) {
			if r.Hosts != nil {
				named := newSite(from.Listen, r.Hosts, from.Policies)
				c.addRoutes(&named, []layout.Route{r}, nil, before)
				c.sites = append(c.sites, named)
				continue
			}
			before = c.addRoutes(&rest, []layout.Route{r}, nil, before)
		}
		for _, name := range slices.Sorted(maps.Keys(from.NamedRoutes)) {
			c.addRoutes(&rest, layout.Routes(caddyhttp.RouteList{from.NamedRoutes[name]}), nil, front{partly, users{some: true, others: true}}) // what invokes it may authenticate
		}
		c.sites = append(c.sites, rest)
	}
	return c, nil
}

// addRoutes adds the handlers of routes. hosts are those by which the routes around are asked, before is
// what stands in front of them. It returns what stands in front of the routes behind.
func (c *config) addRoutes(s *site, routes []layout.Route, hosts []string, before front) front {
	for _, r := range routes {
		inside := hosts
		if r.Hosts != nil {
			inside = r.Hosts
		}
		behind := before
		for i := range r.Handlers {
			behind = c.addHandler(s, &r.Handlers[i], inside, behind)
		}
		if len(r.Matchers) > 0 || r.Group != "" {
			behind.guard = min(behind.guard, partly) // matchers decide who passes it
		}
		before = before.and(behind)
	}
	return before
}

// addHandler adds a handler. It returns what stands in front of the handlers behind.
func (c *config) addHandler(s *site, h *layout.Handler, hosts []string, before front) front {
	if h.IsSubroute() {
		return c.addRoutes(s, h.Routes, hosts, before)
	}
	// Only a proxy behind a gateway leads to the service.
	behind := slices.Contains(s.handlers, "wsfev1")
	s.handlers = append(s.handlers, h.Name)
	switch h.Name {
	case "authentication":
		return before.and(front{guarded, usersOf(h)})
	case "metrics":
		c.metrics = true
	case "wsfev1_console":
		c.consoles = append(c.consoles, proof{before.users, s.asked})
	case "wsfev1_backend":
		c.builtIn = true
	case "wsfev1_wsaa":
		c.login = true
	case "wsfev1":
		var g gateway
		if json.Unmarshal(h.Raw, &g) != nil {
			break
		}
		a, found := readAdmission(h.Raw)
		if found {
			a.front = proof{before.users, s.asked}
			c.admissions = append(c.admissions, a)
		}
		c.addKeeping(s, h.Raw, g, max(before.guard, s.certificates), a.options.Enforced())
		if !slices.ContainsFunc(c.gateways, func(other gateway) bool { return other.Audit == g.Audit }) {
			c.gateways = append(c.gateways, g)
		}
	case "reverse_proxy":
		switch {
		case behind:
			c.upstreams = append(c.upstreams, upstreamsOf(h.Raw, hosts)...)
		case h.GoesOn(): // in forward_auth, which says nothing of users to the handlers behind
			return before.and(front{guard: guarded})
		}
	}
	return before
}
