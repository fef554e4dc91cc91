package gateway

import (
	"strconv"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"

	"github.com/fielato/fielato/caddymodule/internal/outage"
)

// unmarshalBreaker reads the option breaker.
func (g *Gateway) unmarshalBreaker(d *caddyfile.Dispenser) error {
	if !d.NextArg() {
		return d.Err(outage.Usage)
	}
	if d.Val() == optionOff {
		g.Breaker.Off = true
	} else {
		n, err := strconv.Atoi(d.Val())
		if err != nil || n < 1 {
			return d.Err(outage.Usage)
		}
		g.Breaker.Failures = n
	}
	for d.NextArg() {
		option := d.Val()
		if !d.NextArg() {
			return d.Err(outage.Usage)
		}
		switch {
		case option == "rest" && !g.Breaker.Off:
			rest, err := caddy.ParseDuration(d.Val())
			if err != nil || rest <= 0 {
				return d.Errf("breaker rest %q: give a duration such as 10s", d.Val())
			}
			g.Breaker.Rest = caddy.Duration(rest)
		case option == "service":
			g.Breaker.Service = d.Val()
		default:
			return d.Err(outage.Usage)
		}
	}
	return nil
}
