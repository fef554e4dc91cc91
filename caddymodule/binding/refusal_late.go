package binding

import (
	"errors"
	"net/http"

	"github.com/fielato/fielato/caddymodule/outcome"
)

// What may happen to a request between its intent and the wire: the process or its machine
// stood still, or reaching the service took all of its time.
var (
	ErrLeaseLost = errors.New("nothing was sent: the lease of the series has run out, and another gateway may have it")
	ErrTooLate   = errors.New("nothing was sent: the time that the service has for the request was over before")
)

// IsLate reports whether a departure failed since the request might not be sent any more.
func IsLate(err error) bool { return errors.Is(err, ErrLeaseLost) || errors.Is(err, ErrTooLate) }

// Late is about a request that was ready to be sent, and then might not be.
func Late(err error) *Refusal {
	f := Refuse(http.StatusServiceUnavailable, outcome.NotSent, "gateway.late",
		"La pasarela se demoró antes de enviar el pedido y ya no debía enviarlo: no se envió y puede repetirse.")
	f.RetryAfter = "5"
	return f.Because(err)
}
