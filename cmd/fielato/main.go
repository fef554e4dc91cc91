// Command fielato is Caddy with the modules of Fielato.
//
//	go run ./cmd/fielato run --config Caddyfile.example
//
// It is a package of its own because Go builds a program from a package main.
package main

import (
	_ "time/tzdata" // the binary runs in images without a time zone database

	"github.com/caddyserver/caddy/v2"
	_ "github.com/caddyserver/caddy/v2/modules/standard" // Caddy's own modules

	_ "github.com/fielato/fielato" // ours
	"github.com/fielato/fielato/caddymodule/command"
	"github.com/fielato/fielato/internal/version"
)

// help is the command's own help text. Caddy adds an example and its list of commands.
const help = `Fielato stands in front of Argentina's electronic-invoicing service (WSFEv1). It
checks every request, keeps evidence of every exchange, and issues no invoice
twice. It forwards to the real service or answers as a built-in one.

Begin with a Caddyfile for the built-in service, or with "forward" for your own:

	$ fielato init
	$ fielato doctor
	$ fielato run

Before a changed configuration is loaded into the process at work, check it:

	$ fielato validate --config Caddyfile
	$ fielato reload --config Caddyfile

Look into the evidence and into the rules:

	$ fielato wsfev1 audit search --store sqlite:./data/demo.db --cuit 20111111112
	$ fielato wsfev1 audit verify --store sqlite:./data/demo.db
	$ fielato wsfev1 rules 10048

Everything else is Caddy (https://caddyserver.com): TLS, authentication, load
balancing and all commands but wsfev1. Where a text of Caddy's says caddy, write
fielato.

Documentation: https://github.com/fielato/fielato
`

func main() {
	caddy.CustomBinaryName = "fielato" // the command's name in the help
	caddy.CustomLongDescription = help
	caddy.CustomVersion = version.Read().String() + ", Caddy" // Caddy's version follows
	command.Main()
}
