package app

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/fielato/fielato/caddymodule/ports"
)

// portsWait is how long a start waits for another process to leave its ports. One that is told to
// stop closes its listeners at once, so a restart may overlap.
const portsWait = 2 * time.Second

// claimPorts returns an error if another process listens where this configuration does: each would
// get a part of the requests. Where the process served before, a reload goes on.
func (a *App) claimPorts() error {
	if a.SharePorts {
		return nil
	}
	var wanted []netip.AddrPort
	for _, listen := range a.listens() {
		wanted = append(wanted, ports.Of(listen)...)
	}
	served, sites := servedPorts()
	for began := time.Now(); ; {
		holders, used := ports.Others(wanted, served)
		if holders = append(holders, a.taken...); len(holders) == 0 {
			// What this process listens on besides is the admin API's, or of sites that are
			// replaced.
			a.sites, a.ports = wanted, slices.Concat(wanted, ports.Without(used, slices.Concat(sites, wanted)))
			return nil
		}
		if time.Since(began) > portsWait {
			return portsError(holders)
		}
		<-time.After(portsWait / 20)
	}
}

func portsError(holders []ports.Holder) error {
	var texts []string
	for _, h := range holders {
		text := fmt.Sprintf("%s is taken by %s", h.Address, h)
		if !slices.Contains(texts, text) {
			texts = append(texts, text)
		}
	}
	return fmt.Errorf("another process listens where this one would, and each would get a part of the requests: %s. "+
		"End it, or give this configuration other addresses: those of its sites, and admin in the global options (localhost:2019 by default). "+
		"To let both listen on purpose, write wsfev1 { share_ports } in the global options", strings.Join(texts, "; "))
}

// listens returns the addresses of all servers of the configuration.
func (a *App) listens() (all []string) {
	module, err := a.ctx.AppIfConfigured("http")
	if err != nil {
		return nil // a configuration without sites
	}
	if http, ok := module.(*caddyhttp.App); ok {
		for _, server := range http.Servers {
			all = append(all, server.Listen...)
		}
	}
	return all
}

// tryPorts looks who listens at the addresses of a server, where that can only be seen before this
// process listens there.
func (a *App) tryPorts(server *caddyhttp.Server) {
	if a.tried[server] {
		return
	}
	if a.tried == nil {
		a.tried = map[*caddyhttp.Server]bool{}
	}
	a.tried[server] = true
	served, _ := servedPorts()
	a.taken = append(a.taken, ports.Tried(server.Listen, served)...)
}

// servedPorts returns the addresses of the configurations that run, and those of their sites.
func servedPorts() (served, sites []netip.AddrPort) {
	EachRunning(func(other *App) {
		served, sites = append(served, other.ports...), append(sites, other.sites...)
	})
	return served, sites
}
