// Package app is the Caddy app wsfev1: the start and the end of a configuration.
//
// While they are provisioned, handlers ask it to open resources, run tasks and apply
// settings, and they share values through it. It knows none of them. A resource lives in a
// pool and outlives configurations. A Handle is one configuration's hold on a resource: it
// counts the requests inside and releases the resource when the last has left. The package
// also has the clock that the handlers of a configuration share.
//
// A configuration with routes that cannot work is refused when its handlers are provisioned, and one
// whose ports another process has when it starts.
package app
