package app

import (
	"context"
	"fmt"
	"net"
	"net/netip"
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

// guarded begins the names of the networks where a listener opens once claimPorts allows it.
const guarded = "exclusive+"

// networks has the networks of sites, each with its network for HTTP/3.
var networks = map[string]string{"tcp": "udp", "tcp4": "udp4", "tcp6": "udp6"}

func init() {
	for tcp, udp := range networks {
		caddy.RegisterNetwork(guarded+tcp, listenAlone)
		caddyhttp.RegisterNetworkHTTP3(guarded+tcp, udp)
	}
}

// guardPorts looks for other processes that listen where the sites of the configuration would: each
// would get a part of the requests. It is called before Caddy listens anywhere, but whether Caddy will
// is not known yet: a configuration that is only validated may name the ports of one that runs. So it
// refuses nothing. If an address is taken, it moves all sites to the guarded networks, where Caddy opens
// the listeners with listenAlone. Start would be too late: Caddy starts its apps in any order, and a
// process that listens for a moment takes connections from the one that serves.
func (a *App) guardPorts(ctx caddy.Context) {
	http := httpOf(ctx)
	if http == nil || a.SharePorts || a.sites != nil {
		return
	}
	served := servedPorts()
	for _, listen := range listens(http) {
		a.sites = append(a.sites, ports.Of(*listen)...)
		if len(ports.Taken(*listen, served)) > 0 {
			a.taken = append(a.taken, *listen)
		}
	}
	if len(a.taken) == 0 {
		return
	}
	for _, listen := range listens(http) {
		address, err := caddy.ParseNetworkAddress(*listen)
		if err == nil && networks[address.Network] != "" {
			address.Network = guarded + address.Network
			*listen = address.String()
		}
	}
}

// listens returns the addresses of all servers. Caddy resolves the placeholders in them server by server,
// and may not have done so yet.
func listens(http *caddyhttp.App) (all []*string) {
	for _, server := range http.Servers {
		for i := range server.Listen {
			server.Listen[i] = caddy.NewReplacer().ReplaceKnown(server.Listen[i], "")
			all = append(all, &server.Listen[i])
		}
	}
	return all
}

// listenAlone listens on an address once claimPorts allows it. It implements caddy.ListenerFunc.
func listenAlone(ctx context.Context, network, host, portRange string, offset uint, config net.ListenConfig) (any, error) {
	if configuration, ok := ctx.(caddy.Context); ok { // it is the http app's
		module, err := configuration.AppIfConfigured("wsfev1")
		if err != nil {
			return nil, fmt.Errorf("loading the wsfev1 app: %w", err)
		}
		if err := module.(*App).claimPorts(); err != nil {
			return nil, err
		}
	}
	address, err := caddy.ParseNetworkAddress(caddy.JoinNetworkAddress(strings.TrimPrefix(network, guarded), host, portRange))
	if err != nil {
		return nil, err
	}
	return address.Listen(ctx, offset, config)
}

// claimPorts returns an error if another process has one of the addresses that guardPorts found taken,
// or listens where this process does before its first configuration: that is the admin API.
func (a *App) claimPorts() error {
	if a.SharePorts {
		return nil
	}
	return awaitPorts(func() (holders []ports.Holder) {
		for _, listen := range a.taken {
			holders = append(holders, ports.Taken(listen, nil)...)
		}
		if !a.Replaces() {
			holders = append(holders, ports.Shared()...)
		}
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

// httpOf returns the http app that is loading a handler, nil if none is.
func httpOf(ctx caddy.Context) *caddyhttp.App {
	for _, module := range ctx.Modules() {
		if http, ok := module.(*caddyhttp.App); ok {
			return http
		}
	}
	return nil
}

// Servers returns the servers of the configuration that is being provisioned, nil if it has none.
func Servers(ctx caddy.Context) map[string]*caddyhttp.Server {
	if http := httpOf(ctx); http != nil {
		return http.Servers
	}
	return nil
}

// servedPorts returns the addresses of the sites of the running configurations.
func servedPorts() (served []netip.AddrPort) {
	EachRunning(func(other *App) { served = append(served, other.sites...) })
	return served
}
