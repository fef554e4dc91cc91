package binding

import (
	"errors"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/wsfev1"
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

// Outage refuses a request because the service does not answer since then. changes: it answers queries. came is the
// last reply that was no answer of the operation, empty for none.
func Outage(since time.Time, wait time.Duration, changes bool, came string) *Refusal {
	what, failing := "", "El servicio no responde"
	if changes {
		what = " a lo que se le pide emitir o informar"
	}
	if came != "" {
		failing = "El servicio no da la respuesta de la operación (lo último fue " + came + ")"
	}
	seconds := strconv.Itoa(int(math.Ceil(wait.Seconds())))
	f := Refuse(http.StatusServiceUnavailable, audit.OutcomeOutage, "service.outage", fmt.Sprintf(
		"%s desde el %s%s: el pedido no se envió. Puede repetirse en %s s.", failing,
		since.In(wsfev1.Argentina).Format("02/01/2006 a las 15:04:05"), what, seconds))
	f.RetryAfter = seconds
	return f
}
