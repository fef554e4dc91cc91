package doctor

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/fielato/fielato/caddymodule/internal/ports"
)

// portResults says who has the ports.
func portResults(ctx context.Context, c *config) (results []result) {
	atWork := sync.OnceValue(func() bool { return isAtWork(ctx, c) })
	listens := slices.Clone(c.listen)
	if c.admin != "" {
		listens = append(listens, c.admin)
	}
	for _, listen := range listens {
		check := "port " + listen
		if len(ports.Of(listen)) == 0 {
			results = append(results, ok(check, "nobody shares it"))
			continue
		}
		holders, foreign := holdersOf(listen)
		by := strings.Join(holders, "; ")
		switch {
		case ports.Foreign(listen):
			results = append(results, bad(check, "correct bind, default_bind or admin: the gateway does not start", "this machine has no such address"))
		case len(holders) == 0:
			results = append(results, ok(check, "free"))
		case foreign:
			results = append(results, bad(check, "end it, or choose another address: the gateway does not start on a port that another program has", "taken by %s", by))
		case atWork():
			results = append(results, ok(check, "taken by this gateway, which is at work: %s", by))
		default:
			results = append(results, warn(check, "if that is this gateway at work, all is well; else end it, or choose another address: a second one does not start",
				"taken by %s", by))
		}
	}
	return results
}

// holdersOf returns who has an address, and whether one of them is certainly no gateway.
func holdersOf(listen string) (texts []string, foreign bool) {
	for _, h := range ports.Taken(listen, nil) {
		if text := h.String(); !slices.Contains(texts, text) {
			texts = append(texts, text)
		}
		foreign = foreign || h.Command != "" && !mayBeGateway(h.Command)
	}
	return texts, foreign
}

// mayBeGateway reports whether a command runs a Caddy, or the program that looks.
func mayBeGateway(command string) bool {
	program, _, _ := strings.Cut(command, " ")
	return slices.Contains([]string{"caddy", "fielato", filepath.Base(os.Args[0])}, strings.TrimSuffix(program, ".exe"))
}

// isAtWork reports whether the gateway at the configuration's admin API has the same trails and
// addresses.
func isAtWork(ctx context.Context, c *config) bool {
	body, err := readAdmin(ctx, c.admin, "/config/")
	if err != nil {
		return false
	}
	running, err := readConfig(body)
	if err != nil || len(running.gateways) != len(c.gateways) || len(c.gateways) == 0 {
		return false
	}
	for i, g := range c.gateways {
		if running.gateways[i].Audit != g.Audit {
			return false
		}
	}
	return slices.Equal(running.listen, c.listen)
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
		return []result{bad("handlers", "put wsfev1 into a site, and the service behind it: `fielato init demo -` shows how", "no site has wsfev1")}
	}
	return results
}
