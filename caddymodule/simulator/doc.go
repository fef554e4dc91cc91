// Package simulator is the handler wsfev1_backend: the built-in service, for development,
// tests and demonstrations.
//
// A Simulator answers every operation from a ledger, which lives in a pool and outlives
// configurations. It takes a request that a gateway in front has read already, or admits
// it as a gateway would. The handlers of one configuration share a clock and a board of
// faults: what goes wrong on purpose, which the admin API replaces while they run.
package simulator
