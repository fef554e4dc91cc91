package publiclog

import (
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"github.com/caddyserver/caddy/v2/caddyconfig/httpcaddyfile"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/fielato/fielato/caddymodule/internal/directive"
)

func init() {
	httpcaddyfile.RegisterHandlerDirective("wsfev1_log", parseLog)
	// As the console, and for the same reasons: behind the directives that authenticate, and before wsfev1.
	httpcaddyfile.RegisterDirectiveOrder("wsfev1_log", httpcaddyfile.After, "encode")
}

func parseLog(h httpcaddyfile.Helper) (caddyhttp.MiddlewareHandler, error) {
	l := new(Log)
	return l, l.UnmarshalCaddyfile(h.Dispenser)
}

// UnmarshalCaddyfile reads:
//
//	wsfev1_log [<matcher>] {
//		<option> <arguments>…
//	}
//
// The options are OptionTable. The block may be left out.
func (l *Log) UnmarshalCaddyfile(d *caddyfile.Dispenser) error {
	return directive.Read(d, &l.Line, l, OptionTable)
}

// OptionTable has the options of the directive wsfev1_log.
var OptionTable = []directive.Option[Log]{
	{
		Name: "path", Arguments: "<path>",
		Meaning:  "the path below which the logs are: `<path>/<log>/checkpoint` and `<path>/<log>/tile/…`",
		Fallback: "`/log`",
		Read:     func(l *Log, d *caddyfile.Dispenser) error { return directive.OneArgument(d, &l.Path) },
	},
}
