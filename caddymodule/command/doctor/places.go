package doctor

import (
	"cmp"
	"net/netip"
	"slices"
	"strings"

	"github.com/fielato/fielato/caddymodule/ports"
)

// portResults says who has the ports.
func portResults(c *config) (results []result) {
	listens := slices.Clone(c.listen)
	if c.admin != "" {
		listens = append(listens, c.admin)
	}
	for _, listen := range listens {
		check, addresses := "port "+listen, ports.Of(listen)
		if len(addresses) == 0 {
			results = append(results, ok(check, "nobody shares it"))
			continue
		}
		holders := holdersOf(listen, addresses)
		if len(holders) == 0 {
			results = append(results, ok(check, "free"))
			continue
		}
		results = append(results, warn(check, "if that is this gateway at work, all is well; else end it, or choose another address: a second one does not start",
			"taken by %s", strings.Join(holders, "; ")))
	}
	return results
}

func holdersOf(listen string, addresses []netip.AddrPort) (texts []string) {
	holders, _ := ports.Others(addresses, nil)
	for _, h := range append(holders, ports.Tried([]string{listen}, nil)...) {
		if text := h.String(); !slices.Contains(texts, text) {
			texts = append(texts, text)
		}
	}
	return texts
}

// orderResults shows the handlers of each site that has a gateway. Whether they can work is the
// configuration's validity.
func orderResults(c *config) (results []result) {
	for _, s := range c.sites {
		if slices.Contains(s.handlers, "wsfev1") {
			results = append(results, ok("handlers", "%s at %s: %s", cmp.Or(strings.Join(s.hosts, " "), "any name"),
				strings.Join(s.listen, " "), strings.Join(s.handlers, " → ")))
		}
	}
	if results == nil {
		return []result{bad("handlers", "put wsfev1 into a site, and the service behind it: `fielato wsfev1 init demo -` shows how", "no site has wsfev1")}
	}
	return results
}
