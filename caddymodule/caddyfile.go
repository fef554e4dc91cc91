package caddymodule

import (
	"slices"
	"strconv"
	"strings"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"github.com/caddyserver/caddy/v2/caddyconfig/httpcaddyfile"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"github.com/dustin/go-humanize"

	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
)

func init() {
	httpcaddyfile.RegisterHandlerDirective("wsfev1", parseGateway)
	// After encode, so that the record holds the answer as it is before it is
	// compressed; and before handle and route, which would otherwise let requests
	// slip past the gateway.
	httpcaddyfile.RegisterDirectiveOrder("wsfev1", httpcaddyfile.After, "encode")
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
// The options are gatewayOptions; REFERENCE.md has them all. Every option may be left
// out, and so may the block. Options in the block of audit that are not those of the
// trail are the store's own.
func (g *Gateway) UnmarshalCaddyfile(d *caddyfile.Dispenser) error {
	d.Next() // the directive's name
	if d.NextArg() {
		return d.ArgErr()
	}
	return readBlock(d, 0, g, gatewayOptions)
}

func (g *Gateway) unmarshalContract(d *caddyfile.Dispenser) error {
	if err := oneArgument(d, &g.Contract); err != nil {
		return err
	}
	if _, err := validate.ParseContract(g.Contract); err != nil {
		return d.Errf("%v", err)
	}
	return nil
}

// sizeOption reads a size between two bounds.
func sizeOption(d *caddyfile.Dispenser, into *int64, option string, least, most uint64, example string) error {
	var text string
	if err := oneArgument(d, &text); err != nil {
		return err
	}
	size, err := humanize.ParseBytes(text)
	if err != nil || size < least || size > most {
		return d.Errf("%s %q: give a size from %s to %s, such as %s", option, text, sizeText(least), sizeText(most), example)
	}
	*into = int64(size)
	return nil
}

// sizeText is a size as options have it: 4MiB.
func sizeText(size uint64) string {
	return strings.NewReplacer(" ", "", ".0", "").Replace(humanize.IBytes(size))
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
	return durationArgument(d, "recover within", "20s", &g.RecoverWithin)
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
			return d.Errf("cache %q: give a duration such as 5m, or off", args[2*i])
		}
		*value = caddy.Duration(duration)
	}
	return nil
}

// durationArgument reads a duration of more than 0.
func durationArgument(d *caddyfile.Dispenser, option, example string, value *caddy.Duration) error {
	var text string
	if err := oneArgument(d, &text); err != nil {
		return err
	}
	duration, err := caddy.ParseDuration(text)
	if err != nil || duration <= 0 {
		return d.Errf("%s %q: give a duration such as %s", option, text, example)
	}
	*value = caddy.Duration(duration)
	return nil
}

func (g *Gateway) unmarshalCuits(d *caddyfile.Dispenser) error {
	cuits := d.RemainingArgs()
	if len(cuits) == 0 {
		return d.ArgErr()
	}
	for _, text := range cuits {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return d.Errf("cuits: %q is no CUIT: write its eleven digits without dashes", text)
		}
		if !wsfev1.CUIT(n).Valid() {
			return d.Errf("cuits: %s is no CUIT: it has eleven digits, the last of them a check digit", text)
		}
		g.Cuits = append(g.Cuits, n)
	}
	return nil
}

// guests returns the names of the modules in a namespace.
func guests(namespace string) (names []string) {
	for _, info := range caddy.GetModules(strings.TrimSuffix(namespace, ".")) {
		names = append(names, info.ID.Name())
	}
	return names
}

// guest reads a line "<option> <module> …" into the module's JSON.
func guest(d *caddyfile.Dispenser, namespace, inlineKey string, fits func(caddy.Module) bool) ([]byte, error) {
	if !d.NextArg() {
		return nil, d.ArgErr()
	}
	name := d.Val()
	if strings.ContainsAny(name, "./:") {
		// What stands there is not repeated: a DSN may hold a password.
		return nil, d.Errf("the kind of %s comes first, %s, and then where it is, such as sqlite ./%s.db",
			inlineKey, enumerate(guests(namespace)), inlineKey)
	}
	if _, err := caddy.GetModule(namespace + name); err != nil {
		return nil, d.Errf("unknown %s %q: this build has %s", inlineKey, name, enumerate(guests(namespace)))
	}
	module, err := caddyfile.UnmarshalModule(d, namespace+name)
	if err != nil {
		return nil, err
	}
	guest, ok := module.(caddy.Module)
	if !ok || !fits(guest) {
		return nil, d.Errf("module %s%s cannot be used here", namespace, name)
	}
	return caddyconfig.JSONModuleObject(module, inlineKey, name, nil), nil
}

func oneArgument(d *caddyfile.Dispenser, value *string) error {
	if !d.AllArgs(value) {
		return d.ArgErr()
	}
	return nil
}

// oneOf reads one of a few words.
func oneOf(d *caddyfile.Dispenser, value *string, option string, words ...string) error {
	if err := oneArgument(d, value); err != nil {
		return err
	}
	if !slices.Contains(words, *value) {
		return d.Errf("unknown %s %q: use %s", option, *value, enumerate(words))
	}
	return nil
}

// Interface guards
var _ caddyfile.Unmarshaler = (*Gateway)(nil)
