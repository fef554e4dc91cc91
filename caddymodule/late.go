package caddymodule

import (
	"errors"
	"net/http"
	"time"

	"github.com/fielato/fielato/once"
)

// What may happen to a request between its intent and the wire: the process or its machine
// stood still, or reaching the service took all of its time.
var (
	errLeaseLost = errors.New("nothing was sent: the lease of the series has run out, and another gateway may have it")
	errTooLate   = errors.New("nothing was sent: the time that the service has for the request was over before")
)

// instant is the clock by which that is told. Tests change it.
var instant = once.Now

// sendable returns what tells whether the request may be sent, at any moment until the
// exchange has ended. A gateway that stood still must not send afterwards what another one
// has settled meanwhile, or what its client has given up.
func (x *exchange) sendable() func() error {
	turn, since, within := x.turn, x.readied, x.gateway.deadlines[x.operation.Family]
	if x.uncovered {
		turn = nil // the operator wants it to be sent without a store, and so without leases
	}
	return func() error { return stillSendable(turn, instant().Since(since), within) }
}

func stillSendable(turn *once.Turn, took, within time.Duration) error {
	switch {
	case took >= within:
		return errTooLate
	case turn != nil && !turn.Held():
		return errLeaseLost
	}
	return nil
}

// isLate reports whether a departure failed since the request might not be sent any more.
func isLate(err error) bool { return errors.Is(err, errLeaseLost) || errors.Is(err, errTooLate) }

// late is about a request that was ready to be sent, and then might not be.
func late(err error) *fault {
	f := refuse(http.StatusServiceUnavailable, outcomeNotSent, "gateway.late",
		"La pasarela se demoró antes de enviar el pedido y ya no debía enviarlo: no se envió y puede repetirse.")
	f.retryAfter = "5"
	return f.because(err)
}
