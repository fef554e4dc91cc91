package gateway

import (
	"time"

	"github.com/fielato/fielato/caddymodule/internal/binding"
	"github.com/fielato/fielato/internal/once"
)

// instant is the clock that measures how long a request has been ready. Tests replace it.
var instant = once.Now

// sendable returns a function that returns why the request may not be sent any more, nil if it
// may. It can be called until the exchange has ended. A gateway that was suspended must not send
// a request that another gateway has settled meanwhile, or that the client has given up.
func (x *exchange) sendable() func() error {
	turn, since, within := x.seq.turn, x.rec.readyAt, x.gateway.deadlines[x.in.Operation.Family]
	if x.rec.uncovered {
		turn = nil // the operator has chosen to send it without a store, and so without leases
	}
	return func() error { return stillSendable(turn, instant().Since(since), within) }
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
