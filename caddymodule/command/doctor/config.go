package doctor

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/caddyserver/caddy/v2"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
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
	// builtIn: the built-in service stands in it.
	builtIn bool
}

// site has handlers in the order in which a request meets them.
type site struct {
	// hosts are the names by which it is asked, none for all.
	hosts, listen, handlers []string
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
		Key           string           `json:"key"`
		EncryptionKey string           `json:"encryption_key"`
		CheckpointTo  []jsontext.Value `json:"checkpoint_to"`
	} `json:"trail"`
}

type route struct {
	Match []struct {
		Host []string `json:"host"`
	} `json:"match"`
	Handle []jsontext.Value `json:"handle"`
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
					Listen      []string         `json:"listen"`
					Routes      []route          `json:"routes"`
					NamedRoutes map[string]route `json:"named_routes"`
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
		rest := site{listen: from.Listen}
		for _, r := range from.Routes {
			if hosts := r.hosts(); hosts != nil {
				named := site{listen: from.Listen, hosts: hosts}
				c.addRoutes(&named, []route{r}, nil)
				c.sites = append(c.sites, named)
				continue
			}
			c.addRoutes(&rest, []route{r}, nil)
		}
		for _, name := range slices.Sorted(maps.Keys(from.NamedRoutes)) {
			c.addRoutes(&rest, []route{from.NamedRoutes[name]}, nil)
		}
		c.sites = append(c.sites, rest)
	}
	return c, nil
}

// hosts returns what the route's matchers name.
func (r *route) hosts() (hosts []string) {
	for _, m := range r.Match {
		hosts = append(hosts, m.Host...)
	}
	return hosts
}

// addRoutes adds the handlers of routes. hosts are those by which the routes around are asked.
func (c *config) addRoutes(s *site, routes []route, hosts []string) {
	for _, r := range routes {
		inside := hosts
		if own := r.hosts(); own != nil {
			inside = own
		}
		for _, raw := range r.Handle {
			c.addHandler(s, raw, inside)
		}
	}
}

func (c *config) addHandler(s *site, raw jsontext.Value, hosts []string) {
	var h struct {
		Handler string  `json:"handler"`
		Routes  []route `json:"routes"`
	}
	if json.Unmarshal(raw, &h) != nil {
		return // Caddy's own error says so
	}
	if h.Handler == "subroute" {
		c.addRoutes(s, h.Routes, hosts)
		return
	}
	// Only a proxy behind a gateway leads to the service.
	behind := slices.Contains(s.handlers, "wsfev1")
	s.handlers = append(s.handlers, h.Handler)
	switch h.Handler {
	case "metrics":
		c.metrics = true
	case "wsfev1_backend":
		c.builtIn = true
	case "wsfev1":
		var g gateway
		same := func(other gateway) bool { return other.Audit == g.Audit }
		if json.Unmarshal(raw, &g) == nil && !slices.ContainsFunc(c.gateways, same) {
			c.gateways = append(c.gateways, g)
		}
	case "reverse_proxy":
		if behind {
			c.upstreams = append(c.upstreams, upstreamsOf(raw, hosts)...)
		}
	}
}
