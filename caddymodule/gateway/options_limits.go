package gateway

import (
	"slices"
	"strconv"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"

	"github.com/fielato/fielato/internal/nearest"
	"github.com/fielato/fielato/wsfev1"
)

const inFlightUsage = "in_flight: write in_flight [issuing <n>] [tables <n>] [queries <n>] [wait <duration>]"

// unmarshalInFlight reads pairs of a kind and its limit.
func (g *Gateway) unmarshalInFlight(d *caddyfile.Dispenser) error {
	counts := map[string]*int{"issuing": &g.InFlight.Issuing, "tables": &g.InFlight.Tables, "queries": &g.InFlight.Queries}
	seen := map[string]bool{}
	for d.NextArg() {
		kind := d.Val()
		if seen[kind] || !d.NextArg() {
			return d.Err(inFlightUsage)
		}
		seen[kind] = true
		if kind == "wait" {
			wait, err := caddy.ParseDuration(d.Val())
			if err != nil || wait <= 0 {
				return d.Errf("in_flight wait %q: give a duration such as 5s", d.Val())
			}
			g.InFlight.Wait = caddy.Duration(wait)
			continue
		}
		count, ok := counts[kind]
		if !ok {
			return d.Err(inFlightUsage)
		}
		n, err := strconv.Atoi(d.Val())
		if err != nil || n < 1 || n > maxInFlight {
			return d.Errf("in_flight %s %q: give a number from 1 to %d", kind, d.Val(), maxInFlight)
		}
		*count = n
	}
	if len(seen) == 0 {
		return d.Err(inFlightUsage)
	}
	return nil
}

// unmarshalDeadline reads one family's deadline; the option may be given once for each.
func (g *Gateway) unmarshalDeadline(d *caddyfile.Dispenser) error {
	var family, text string
	if !d.Args(&family, &text) || d.NextArg() {
		return d.Err("deadline: write deadline <family> <duration>, such as deadline query 20s")
	}
	if !slices.Contains(families, wsfev1.Family(family)) {
		return d.Errf("deadline: unknown family %q: use %s%s", family, familyNames(), nearest.Question(family, familyWords()))
	}
	if _, twice := g.Deadlines[family]; twice {
		return d.Errf("deadline %s is given twice", family)
	}
	duration, err := caddy.ParseDuration(text)
	if err != nil || duration <= 0 {
		return d.Errf("deadline %s %q: give a duration such as 30s", family, text)
	}
	if g.Deadlines == nil {
		g.Deadlines = map[string]caddy.Duration{}
	}
	g.Deadlines[family] = caddy.Duration(duration)
	return nil
}
