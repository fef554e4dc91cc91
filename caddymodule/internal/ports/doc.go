// Package ports looks for other processes that listen where this one does.
//
// Caddy opens its listeners with SO_REUSEPORT, so a second process on the same port starts without
// an error, and the system gives each a part of the connections: invoices that were meant for the
// real service would reach one that was started for a trial.
//
// On Linux the kernel's tables name every listening socket and its owner, also while this process
// listens there itself. Elsewhere the addresses are tried with a listener that shares nothing, as
// long as this process has none there.
package ports
