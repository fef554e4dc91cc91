// Package app is the Caddy app wsfev1: the start and the end of a configuration.
//
// Handlers ask it, while they are provisioned, to open resources, run tasks and apply
// settings, and share values through it. It knows none of them. A resource lives in a pool
// and outlives configurations: a Handle is one configuration's hold on it, which counts
// the requests inside and lets go when the last has left. The package also has the clock
// that the handlers of a configuration go by.
package app
