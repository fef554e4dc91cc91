package binding

import (
	"errors"
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/fielato/fielato/audit"
)

// Reasons why a request may not be sent any more after its intent: the process or its machine
// was suspended, or connecting to the service took too long.
var (
	// ErrLeaseLost: the lease of the series has run out.
	ErrLeaseLost = errors.New("nothing was sent: the lease of the series has run out, and another gateway may have it")
	// ErrTooLate: the deadline of the operation has passed.
	ErrTooLate = errors.New("nothing was sent: the time that the service has for the request was over before")
)

// IsLate reports whether err is ErrLeaseLost or ErrTooLate.
func IsLate(err error) bool { return errors.Is(err, ErrLeaseLost) || errors.Is(err, ErrTooLate) }

// Late refuses a request that was ready and may not be sent any more.
func Late(err error) *Refusal {
	f := Refuse(http.StatusServiceUnavailable, audit.OutcomeNotSent, "gateway.late",
		"La pasarela se demoró antes de enviar el pedido y ya no debía enviarlo: no se envió y puede repetirse.")
	f.RetryAfter = "5"
	return f.Because(err)
}

// NoTicket refuses a request for which there is no access ticket at the moment.
func NoTicket(err error, retry time.Duration) *Refusal {
	f := Refuse(http.StatusServiceUnavailable, audit.OutcomeNotSent, "wsaa.no_ticket",
		"La pasarela no tiene ahora un ticket de acceso (WSAA): el pedido no se envió y puede repetirse.")
	f.RetryAfter = strconv.Itoa(int(math.Ceil(retry.Seconds())))
	return f.Because(err)
}
