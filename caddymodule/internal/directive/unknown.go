package directive

import (
	"slices"
	"strings"

	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
)

// nearEnough is the distance up to which a name counts as a misspelling of another: two letters.
const nearEnough = 20

// OfSites are the directives that a site with a gateway has most often. In a block of options they show that the
// block is not closed, or that its } stands too far below.
var OfSites = []string{
	"basic_auth", "bind", "encode", "forward_auth", "handle", "header", "log", "metrics", "redir", "respond", "reverse_proxy", "route",
	"tls", "tracing", "wsfev1", "wsfev1_arca", "wsfev1_backend", "wsfev1_console", "wsfev1_log", "wsfev1_wsaa",
}

// transportOptions are options of reverse_proxy that are taken for the gateway's.
var transportOptions = []string{"dial_timeout", "keepalive", "read_timeout", "response_header_timeout", "write_timeout"}

// globalOptions are options of Caddy that are taken for the gateway's.
var globalOptions = []string{"admin", "default_bind", "grace_period", "persist_config", "servers", "shutdown_delay", "storage"}

// UnknownOption returns the error for the current token. It has a guess about what was meant, or else the names that are
// allowed there.
func UnknownOption(d *caddyfile.Dispenser, names []string, inner ...InnerBlock) error {
	wrong := d.Val()
	if meant := hint(wrong, names, inner); meant != "" {
		return d.Errf("unrecognized option %q: %s", wrong, meant)
	}
	return d.Errf("unrecognized option %q: use %s", wrong, enumerate(names))
}

// hint guesses what was meant. It is empty if no name is near.
func hint(wrong string, names []string, inner []InnerBlock) string {
	for _, block := range inner {
		if slices.Contains(block.Options, wrong) {
			return "write it in the block of " + block.Syntax + " { " + wrong + " … }"
		}
	}
	switch {
	case slices.Contains(OfSites, wrong):
		return "it is a directive of the site: write it after the } of this block"
	case slices.Contains(globalOptions, wrong):
		return "write it in the global options, the block without a name at the top of the file"
	case slices.Contains(transportOptions, wrong):
		return "write it in reverse_proxy <address> { transport http { " + wrong + " … } }"
	}
	if within := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !strings.Contains(name, wrong) }); len(within) > 0 && len(wrong) > 3 {
		return "did you mean " + enumerate(within) + "?"
	}
	nearest := slices.MinFunc(names, func(a, b string) int { return Distance(a, wrong) - Distance(b, wrong) })
	if Distance(nearest, wrong) <= nearEnough && len(wrong) > 2 {
		return "did you mean " + nearest + "?"
	}
	return ""
}

// enumerate returns "a, b or c".
func enumerate(names []string) string {
	last := len(names) - 1
	if last == 0 {
		return names[0]
	}
	return strings.Join(names[:last], ", ") + " or " + names[last]
}
