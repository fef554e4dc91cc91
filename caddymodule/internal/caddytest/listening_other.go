//go:build !linux

package caddytest

import "github.com/caddyserver/caddy/v2"

// listeners returns at how many sockets this process listens at an address, as Caddy counts them.
func listeners(address string) int { return caddy.ListenerUsage("tcp", address) }
