package caddymodule

import (
	"github.com/fielato/fielato/caddymodule/gateway"
	"github.com/fielato/fielato/caddymodule/trail"
	"github.com/fielato/fielato/once"
)

// DiskFree is diskFree.
var DiskFree = trail.DiskFree

// SetInstant changes the clock that tells whether a request may be sent still, and returns
// what undoes it. No exchange may be under way.
func SetInstant(now func() once.Instant) (undo func()) {
	before := gateway.Instant
	gateway.Instant = now
	return func() { gateway.Instant = before }
}
