package gateway

import (
	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"github.com/caddyserver/caddy/v2/caddyconfig/httpcaddyfile"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/fielato/fielato/caddymodule/internal/directive"
	"github.com/fielato/fielato/caddymodule/internal/trail"
	"github.com/fielato/fielato/validate"
)

func init() {
	httpcaddyfile.RegisterHandlerDirective("wsfev1", parseGateway)
	// After encode, so that the record holds the answer as it is before it is
	// compressed; and before handle and route, which would otherwise let requests
	// slip past the gateway. That is before push, so wsfev1_console, which stands after encode,
	// comes first.
	httpcaddyfile.RegisterDirectiveOrder("wsfev1", httpcaddyfile.Before, "push")
}

func parseGateway(h httpcaddyfile.Helper) (caddyhttp.MiddlewareHandler, error) {
	g := new(Gateway)
	return g, g.UnmarshalCaddyfile(h.Dispenser)
}

// UnmarshalCaddyfile reads:
//
//	wsfev1 [<matcher>] {
//		<option> <arguments>…
//	}
//
// The options are OptionTable; docs/reference.md has them all. Every option may be left out, and so may the
// block. Options in the block of audit that the trail does not have belong to the store.
func (g *Gateway) UnmarshalCaddyfile(d *caddyfile.Dispenser) error {
	return directive.Read(d, &g.Line, g, OptionTable, directive.InnerBlock{Syntax: "audit <store>", Options: directive.Names(trail.OptionTable)})
}

func (g *Gateway) unmarshalContract(d *caddyfile.Dispenser) error {
	if err := directive.OneArgument(d, &g.Contract); err != nil {
		return err
	}
	if _, err := validate.ParseContract(g.Contract); err != nil {
		return d.Errf("%v", err)
	}
	return nil
}

func (g *Gateway) unmarshalRecover(d *caddyfile.Dispenser) error {
	switch {
	case d.NextArg() && d.Val() == optionOff:
		g.Recover = optionOff
		if d.NextArg() {
			return d.ArgErr()
		}
		return nil
	case d.Val() != "within":
		return d.Err("recover: write recover within <duration>, such as recover within 20s, or recover off")
	}
	return directive.DurationArgument(d, "recover within", "20s", &g.RecoverWithin)
}

func (g *Gateway) unmarshalCache(d *caddyfile.Dispenser) error {
	args := d.RemainingArgs()
	if len(args) == 1 && args[0] == optionOff {
		g.Cache = optionOff
		return nil
	}
	if len(args) != 1 && (len(args) != 3 || args[1] != "stale") {
		return d.Err("cache: write cache <ttl> [stale <limit>], such as cache 5m stale 24h, or cache off")
	}
	for i, value := range []*caddy.Duration{&g.CacheTTL, &g.CacheStale}[:(len(args)+1)/2] {
		duration, err := caddy.ParseDuration(args[2*i])
		if err != nil || duration <= 0 {
			return d.Errf("cache %q: give a duration such as 5m; cache off alone turns it off", args[2*i])
		}
		*value = caddy.Duration(duration)
	}
	return nil
}

// unmarshalTicket reads "ticket check|off [<certificate>]".
func (g *Gateway) unmarshalTicket(d *caddyfile.Dispenser) error {
	words := d.RemainingArgs()
	switch {
	case len(words) != 1 && len(words) != 2:
		return d.ArgErr()
	case words[0] != ticketCheck && words[0] != ticketOff:
		return d.Errf("unknown ticket %q: use check or off", words[0])
	case len(words) == 2 && words[0] == ticketOff:
		return d.Err("a certificate is for ticket check: leave it out, or write check")
	case len(words) == 2:
		g.TicketCertificate = words[1]
	}
	g.Ticket = words[0]
	return nil
}

// unmarshalAudit reads the store and the options of the trail, which share a block:
//
//	audit <store> [<arguments>…] {
//		<option> <arguments>…
//	}
func (g *Gateway) unmarshalAudit(d *caddyfile.Dispenser) error {
	forStore, err := g.Trail.Unmarshal(caddyfile.NewDispenser(d.NextSegment()))
	if err != nil {
		return err
	}
	forStore.Next()
	g.AuditRaw, err = directive.UnmarshalModule(forStore, "http.handlers.wsfev1.stores.", "store", func(m caddy.Module) bool {
		_, ok := m.(trail.StoreOpener)
		return ok
	})
	return err
}

// Interface guards
var _ caddyfile.Unmarshaler = (*Gateway)(nil)
