package gateway

import (
	"fmt"
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/binding"
	"github.com/fielato/fielato/caddymodule/internal/outage"
	"github.com/fielato/fielato/wsfev1"
)

// outageRefusal refuses a request because the service does not answer.
func outageRefusal(w *outage.Monitor, wait time.Duration) *binding.Refusal {
	scope, since, _ := w.Breaker.Open()
	what := ""
	if scope == outage.Changes {
		what = " a lo que se le pide emitir o informar"
	}
	failing := "El servicio no responde"
	if came := w.Came(scope); came != "" {
		failing = "El servicio no da la respuesta de la operación (lo último fue " + came + ")"
	}
	seconds := strconv.Itoa(int(math.Ceil(wait.Seconds())))
	f := binding.Refuse(http.StatusServiceUnavailable, audit.OutcomeOutage, "service.outage", fmt.Sprintf(
		"%s desde el %s%s: el pedido no se envió. Puede repetirse en %s s.", failing,
		since.In(wsfev1.Argentina).Format("02/01/2006 a las 15:04:05"), what, seconds))
	f.RetryAfter = seconds
	return f
}
