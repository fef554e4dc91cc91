package app

import (
	"fmt"
	"net/netip"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/fielato/fielato/caddymodule/internal/ports"
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
	return awaitPorts(func() []ports.Holder {
		holders, used := ports.Others(wanted, served)
		// What this process listens on besides is the admin API's, or of sites that are replaced.
		a.sites, a.ports = wanted, slices.Concat(wanted, ports.Without(used, slices.Concat(sites, wanted)))
		return holders
	})
}

// awaitPorts waits until no other process holds the ports.
func awaitPorts(holders func() []ports.Holder) error {
	for began := time.Now(); ; {
		others := holders()
		if len(others) == 0 {
			return nil
		}
		if time.Since(began) > portsWait {
			return portsError(others)
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
	return fmt.Errorf("%s: another process listens where this one would, and each would get a part of the requests. "+
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

// tryPorts is claimPorts before Caddy listens anywhere. Caddy starts its apps in any order, and a
// process that listens for a moment takes connections from the one that serves. A configuration
// that is only validated may name the ports of one that runs.
func (a *App) tryPorts(ctx caddy.Context) error {
	http := httpOf(ctx)
	if http == nil || a.SharePorts || a.tried || isValidation() {
		return nil
	}
	a.tried = true
	var listens []string
	var wanted []netip.AddrPort
	for _, server := range http.Servers {
		for _, listen := range server.Listen {
			// Caddy has not resolved the addresses of all servers yet.
			listen = caddy.NewReplacer().ReplaceKnown(listen, "")
			listens, wanted = append(listens, listen), append(wanted, ports.Of(listen)...)
		}
	}
	served, _ := servedPorts()
	return awaitPorts(func() []ports.Holder {
		holders, _ := ports.Others(wanted, served)
		return append(holders, ports.Tried(listens, served)...)
	})
}

// httpOf returns the http app that is loading a handler, nil if none is.
func httpOf(ctx caddy.Context) *caddyhttp.App {
	for _, module := range ctx.Modules() {
		if http, ok := module.(*caddyhttp.App); ok {
			return http
		}
	}
	return nil
}

// isValidation reports whether a configuration is loaded by a function of Caddy that starts none.
// Caddy shows that to modules by nothing but its stack.
func isValidation() bool {
	var callers [256]uintptr
	frames := runtime.CallersFrames(callers[:runtime.Callers(1, callers[:])])
	for {
		frame, more := frames.Next()
		switch frame.Function {
		case caddyPackage + ".Validate", caddyPackage + ".ProvisionContext":
			return true
		}
		if !more {
			return false
		}
	}
}

const caddyPackage = "github.com/caddyserver/caddy/v2"

// servedPorts returns the addresses of the running configurations, and the addresses of their sites.
func servedPorts() (served, sites []netip.AddrPort) {
	EachRunning(func(other *App) {
		served, sites = append(served, other.ports...), append(sites, other.sites...)
	})
	return served, sites
}
