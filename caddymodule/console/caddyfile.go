package console

import (
	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"github.com/caddyserver/caddy/v2/caddyconfig/httpcaddyfile"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/fielato/fielato/caddymodule/internal/access"
	"github.com/fielato/fielato/caddymodule/internal/directive"
)

func init() {
	httpcaddyfile.RegisterHandlerDirective("wsfev1_console", parseConsole)
	// After encode, which compresses the pages, and so after the directives that authenticate. wsfev1
	// stands before push, so the console comes before it whichever of them registers first: a gateway
	// answers whatever it gets.
	httpcaddyfile.RegisterDirectiveOrder("wsfev1_console", httpcaddyfile.After, "encode")
}

func parseConsole(h httpcaddyfile.Helper) (caddyhttp.MiddlewareHandler, error) {
	c := new(Console)
	return c, c.UnmarshalCaddyfile(h.Dispenser)
}

// UnmarshalCaddyfile reads:
//
//	wsfev1_console [<matcher>] {
//		<option> <arguments>…
//	}
//
// The options are OptionTable. Every option may be left out, and so may the block.
func (c *Console) UnmarshalCaddyfile(d *caddyfile.Dispenser) error {
	return directive.Read(d, &c.Line, c, OptionTable)
}

// OptionTable has the options of the directive wsfev1_console.
var OptionTable = []directive.Option[Console]{
	{
		Name: "path", Arguments: "<path>",
		Meaning:  "the path below which the pages are",
		Fallback: "`/consola`",
		Read:     func(c *Console, d *caddyfile.Dispenser) error { return directive.OneArgument(d, &c.Path) },
	},
	{
		Name: "public", Arguments: "",
		Meaning:  "everybody who reaches the console may see it, also from other machines and without authentication in front",
		Fallback: "from other machines only readers who are authenticated may",
		Read:     func(c *Console, d *caddyfile.Dispenser) error { return directive.NoArgument(d, &c.Public) },
	},
	{
		Name: "reader", Arguments: "<placeholder>",
		Meaning: "who reads, where the authentication in front does not say it to Caddy: " +
			"`{header.Remote-User}`, if `forward_auth` copies that header. Nobody else must be able to set it",
		Fallback: "the user of `basic_auth` and the like, or the subject of a client certificate that was verified",
		Read:     func(c *Console, d *caddyfile.Dispenser) error { return directive.OneArgument(d, &c.Reader) },
	},
	access.ReadersOption(func(c *Console) *string { return &c.Readers },
		"from other machines those see records who have a row `reader` in the block of `wsfev1`; without rows, the configuration is refused unless it says `readers *` here or there, or `public`"),
	{
		Name: "audit", Arguments: "<store> <place>",
		Meaning:  "the store of the trails that are shown, which is only read: `sqlite <path>`, or `postgres <dsn>` with a role that may only read",
		Fallback: "those of the gateways in the same configuration",
		Read: func(c *Console, d *caddyfile.Dispenser) (err error) {
			c.StoreRaw, err = directive.UnmarshalModule(d, "http.handlers.wsfev1.stores.", "store", func(m caddy.Module) bool {
				_, ok := m.(readerOpener)
				return ok
			})
			return err
		},
	},
	{
		Name: "encryption_key", Arguments: "<file>",
		Meaning:  "the key of the content in the store of `audit`",
		Fallback: "encrypted content is not shown",
		Read:     func(c *Console, d *caddyfile.Dispenser) error { return directive.OneArgument(d, &c.EncryptionKey) },
	},
	{
		Name: "mask", Arguments: "",
		Meaning:  "hides the documents of receivers until the reader reveals them, which is recorded with `log_reads`",
		Fallback: "they are shown",
		Read:     func(c *Console, d *caddyfile.Dispenser) error { return directive.NoArgument(d, &c.Mask) },
	},
}
