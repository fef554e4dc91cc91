// Package ports finds out whether another process listens where this one would.
//
// Caddy opens its listeners with SO_REUSEPORT, so a second process on the same port starts without
// an error, and the system gives each a part of the connections: invoices that were meant for the
// real service would reach one that was started for a trial.
//
// Taken tries to listen without SO_REUSEPORT, which fails beside any other listener. On Linux the
// kernel's table of sockets then names the process. Shared reads that table for the addresses
// where this process listens already, such as the one of the admin API, which Caddy opens before
// it loads any module.
package ports
