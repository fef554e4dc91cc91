// Command fielato is Caddy with the modules of Fielato.
//
//	go run ./cmd/fielato run --config Caddyfile.example
package main

import (
	_ "time/tzdata" // the binary runs in images without a time zone database

	"github.com/caddyserver/caddy/v2"
	caddycmd "github.com/caddyserver/caddy/v2/cmd"
	_ "github.com/caddyserver/caddy/v2/modules/standard" // Caddy's own modules

	_ "github.com/fielato/fielato" // ours
)

func main() {
	caddy.CustomBinaryName = "fielato" // what the help calls the command
	caddycmd.Main()
}
