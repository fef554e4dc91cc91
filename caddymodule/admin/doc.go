// Package admin is the module's part of Caddy's admin API: how the trail stands, whether it
// is ready, who reads it, and the clock and the faults of the built-in service.
//
// An endpoint is a function of the newest configuration that runs. It holds nothing.
package admin
