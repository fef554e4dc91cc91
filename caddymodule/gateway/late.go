package gateway

import (
	"time"

	"github.com/fielato/fielato/caddymodule/binding"
	"github.com/fielato/fielato/once"
)

// Instant is the clock by which that is told. Tests change it.
var Instant = once.Now

// sendable returns what tells whether the request may be sent, at any moment until the
// exchange has ended. A gateway that stood still must not send afterwards what another one
// has settled meanwhile, or what its client has given up.
func (x *exchange) sendable() func() error {
	turn, since, within := x.turn, x.readied, x.gateway.deadlines[x.operation.Family]
	if x.uncovered {
		turn = nil // the operator wants it to be sent without a store, and so without leases
	}
	return func() error { return stillSendable(turn, Instant().Since(since), within) }
}

func stillSendable(turn *once.Turn, took, within time.Duration) error {
	switch {
	case took >= within:
		return binding.ErrTooLate
	case turn != nil && !turn.Held():
		return binding.ErrLeaseLost
	}
	return nil
}
