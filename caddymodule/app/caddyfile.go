package app

import (
	"github.com/caddyserver/caddy/v2/caddyconfig"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"github.com/caddyserver/caddy/v2/caddyconfig/httpcaddyfile"

	"github.com/fielato/fielato/caddymodule/internal/directive"
)

func init() { httpcaddyfile.RegisterGlobalOption("wsfev1", parseGlobal) }

// OptionTable has the options in the block of wsfev1 among the global options.
var OptionTable = []directive.Option[App]{
	{
		Name:     "share_ports",
		Meaning:  "the gateway starts even if another process listens on the same ports; the system then divides the requests between them",
		Fallback: "it does not start, and names the other process",
		Read:     func(a *App, d *caddyfile.Dispenser) error { return directive.NoArgument(d, &a.SharePorts) },
	},
}

// parseGlobal reads:
//
//	wsfev1 {
//		<option>
//	}
func parseGlobal(d *caddyfile.Dispenser, _ any) (any, error) {
	d.Next()
	if d.NextArg() {
		return nil, d.ArgErr()
	}
	a := new(App)
	if err := directive.ReadBlock(d, 0, a, OptionTable); err != nil {
		return nil, err
	}
	return httpcaddyfile.App{Name: "wsfev1", Value: caddyconfig.JSON(a, nil)}, nil
}
