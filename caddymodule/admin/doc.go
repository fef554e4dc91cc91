// Package admin is the module's part of Caddy's admin API: the status of the trail, its
// readiness, the record of its reads, the kept access tickets, and the clock and the faults of the built-in service.
//
// An endpoint is a function of the newest running configuration. It has no state.
package admin
