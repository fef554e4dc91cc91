package caddymodule

import (
	"net/url"

	"github.com/fielato/fielato/caddymodule/binding"
	"github.com/fielato/fielato/caddymodule/gateway"
	"github.com/fielato/fielato/caddymodule/trail"
	"github.com/fielato/fielato/once"
)

// DiskFree is diskFree.
var DiskFree = trail.DiskFree

// RouteOf is routeOf: the path that is sent, and the operation.
func RouteOf(u *url.URL) (path, operation string, ok bool) {
	r, ok := binding.RouteOf(u)
	return r.Path(), r.Operation, ok
}

// SetInstant changes the clock that tells whether a request may be sent still, and returns
// what undoes it. No exchange may be under way.
func SetInstant(now func() once.Instant) (undo func()) {
	before := gateway.Instant
	gateway.Instant = now
	return func() { gateway.Instant = before }
}
