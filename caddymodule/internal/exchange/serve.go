package exchange

import (
	"errors"
	"net/http"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"go.uber.org/zap"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/binding"
	"github.com/fielato/fielato/caddymodule/internal/intake"
	"github.com/fielato/fielato/caddymodule/internal/record"
	"github.com/fielato/fielato/caddymodule/internal/trail"
)

// Serve leads the exchange of a client's request. It answers every request itself and returns an error only
// for a misconfiguration or a bug.
func (way *Way) Serve(t *trail.Trail, w http.ResponseWriter, r *http.Request, next caddyhttp.Handler) error {
	if binding.HasPassed(r.Context(), t) {
		return caddyhttp.Error(http.StatusInternalServerError, errPassed)
	}
	x := newExchange(way, t, w, r, next)
	defer x.memory.release()
	if way.Book.Clients != nil {
		x.Sender = way.Book.NewSender(r.Context(), x.proven, x.Started, way.MaxWait)
		defer x.Sender.Leave()
	}
	defer way.Flights.Enter(r.URL.Path, x.Started).Leave()
	x.close(func() {
		_ = x.take() && x.fromCache() && x.takeTurn() && x.passBreaker() && x.consult()
	})
	if x.fallback == nil {
		return x.reply()
	}
	x.fallback.close(func() {}) // it has its answer, and gets a record of its own
	x.release()
	return x.fallback.reply()
}

// close takes an exchange to its result, and from there to its end. A part that panics leaves an exchange
// that the next part can close.
func (x *exchange) close(toResult func()) {
	x.r = x.spans.Begin(x.r, x.SpanName())
	defer x.abandon()
	x.attempt(toResult)
	x.attempt(func() {
		x.health.lost(&x.Facts)
		x.recover()
	})
	x.attempt(x.record)
	x.spans.Leave()
	x.attempt(func() {
		x.caller.accept(&x.Facts, x.way.Keepers) // before the waiters for the same answer check their credentials
		x.health.report(&x.Facts)
		x.probe.end()
		x.lane.leave(x.r.Context(), &x.Facts, &x.caller)
		resumeOpen(x)
	})
	x.attempt(x.observe)
}

// errPassed: a request passes two gateways with the same trail. The second would wait until
// the first has its answer.
var errPassed = errors.New("the request has passed another wsfev1 with the same trail already: remove one of the two")

// TurnAway refuses a request while no trail is open.
func (way *Way) TurnAway(w http.ResponseWriter, r *http.Request, closed error) error {
	record.CountTurnedAway()
	way.Alarm.Error("audit trail is not open", zap.Error(closed))
	refusal := binding.Unrecorded(closed)
	reply, err := refusal.Reply()
	if err == nil {
		reply, err = intake.FormOf(r, way.Policy.SOAP).Answer(intake.Answer{Refusal: refusal, Reply: reply})
	}
	if err != nil {
		return caddyhttp.Error(http.StatusInternalServerError, err)
	}
	w.Header().Set(outcomeHeader, string(audit.OutcomeUnrecorded))
	_ = reply.Write(w) // a client that has left gets nothing
	return nil
}
