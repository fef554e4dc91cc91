package exchange

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/binding"
	"github.com/fielato/fielato/caddymodule/internal/identity"
	"github.com/fielato/fielato/caddymodule/internal/intake"
	"github.com/fielato/fielato/caddymodule/internal/local"
	"github.com/fielato/fielato/caddymodule/internal/record"
	"github.com/fielato/fielato/caddymodule/internal/send"
	"github.com/fielato/fielato/caddymodule/internal/tracing"
	"github.com/fielato/fielato/caddymodule/internal/trail"
	"github.com/fielato/fielato/internal/clients"
)

// exchange is one request on its way. Its facts are the values that the phases return; what else it has is
// what it holds while it is under way. One goroutine leads it.
type exchange struct {
	record.Facts
	way   *Way
	trail *trail.Trail

	w    http.ResponseWriter
	r    *http.Request
	next caddyhttp.Handler
	repl *caddy.Replacer
	// arrived is the request as it came to the exchange: spans that begin after the exchange has ended must
	// not be in its own.
	arrived *http.Request
	spans   tracing.Spans
	memory  memory

	journal journal
	lane    lane
	health  health
	probe   probe
	caller  caller
	// proven is what was proven about who has sent the request.
	proven clients.Identity
	// undecided is the decision until there is one.
	undecided intake.Decision
	// noTicket is why there is no access ticket although there should be one.
	noTicket *noTicketError
	// fallback answers the client from the cache after this exchange has failed, nil for none.
	fallback *exchange
}

// memory is the memory that the exchange reserves. It is released when the answer is on its way.
type memory struct {
	body   binding.Reservation
	answer *binding.AnswerReservation
}

func (m *memory) release() {
	m.body.Release()
	m.answer.Release()
}

func newExchange(way *Way, t *trail.Trail, w http.ResponseWriter, r *http.Request, next caddyhttp.Handler) *exchange {
	repl := r.Context().Value(caddy.ReplacerCtxKey).(*caddy.Replacer)
	id, _ := repl.GetString("http.request.uuid")
	started, proven := way.Now(), identity.Of(r)
	x := &exchange{
		Facts: record.Facts{
			ID: id, Trace: tracing.TraceOf(r), Started: started, Effective: way.Effective(started), Log: t.Log, Service: way.Service, Client: record.Client{Address: local.Address(r), Identity: identity.Name(&proven)},
			Form: intake.FormOf(r, way.Policy.SOAP), Redactor: t.Redactor, Mask: t.Redactor.Mask(way.Trail.Fields()),
		},
		way: way, trail: t, w: w, r: r, arrived: r, next: next, repl: repl, proven: proven,
		memory: memory{body: binding.Reservation{Budget: way.Bodies, MaxWait: way.MaxWait}},
	}
	x.begin()
	repl.Map(func(key string) (any, bool) {
		if x.fallback != nil {
			return x.fallback.Placeholder(key)
		}
		return x.Placeholder(key)
	})
	return x
}

// begin sets what an exchange has before anything has happened.
func (x *exchange) begin() {
	if x.Decision == nil {
		x.Decision = &x.undecided
	}
	x.Sent, x.Result.Certainty = send.Sent{}, audit.NotSent
	x.memory.answer = &binding.AnswerReservation{Budget: x.way.Answers, MaxWait: x.way.MaxWait, Most: x.way.MaxAnswer}
	x.journal = journal{trail: x.trail, options: x.way.Trail, alarm: x.way.Alarm}
	x.health = health{way: x.way, trail: x.trail}
	x.caller.trail = x.trail
}

// newFallback returns an exchange that can answer the same request after x has failed, with a
// record of its own. It takes over the first findings of x, those about the request, so that they
// are counted once.
func (x *exchange) newFallback(findings int) *exchange {
	decision := *x.Decision // which x releases
	y := &exchange{
		Facts: x.Facts, way: x.way, trail: x.trail, w: x.w, r: x.arrived, arrived: x.arrived, next: x.next, repl: x.repl,
		caller: x.caller,
	}
	y.Decision, y.Findings = &decision, slices.Clip(x.Findings[:findings])
	y.Result, y.Place, y.Ticket, y.Ticketed = record.Result{}, record.Place{}, nil, nil
	y.begin()
	x.Findings = x.Findings[findings:]
	return y
}

// release drops everything that is not needed to send the answer, before a slow client reads it,
// and returns the reserved memory. An exchange that has its turn keeps the credentials for queries.
func (x *exchange) release() {
	x.Release()
	x.lane.release()
	if size := len(x.Form.Sent(x.Result.Reply, "").Body); size <= binding.MaxCommon {
		x.memory.release()
	} else {
		x.memory.body.Settle(int64(size))
	}
}

// abandon releases what a part that panicked still holds, for no other exchange may wait for it, and ends the
// spans.
func (x *exchange) abandon() {
	x.probe.end()
	if x.lane.turn != nil {
		x.lane.turn.Leave(x.lane.abandoned(&x.Facts, &x.journal, x.way))
	}
	if x.spans.Recorded() {
		failed, attributes := x.Span()
		x.spans.End(failed, attributes...)
	}
}

// detached returns the exchange's context without cancellation by the client: what must be
// done is done whether or not the client still waits.
func (x *exchange) detached() context.Context { return context.WithoutCancel(x.r.Context()) }

// detachedFor is detached with a time-out; a query of the gateway also ends with the context of its caller.
// Go's runtime drops a stopped timer only when its time has come, so the timer must not refer to the exchange.
func (x *exchange) detachedFor(d time.Duration) (context.Context, context.CancelFunc) {
	if x.Own {
		return context.WithTimeout(x.r.Context(), d)
	}
	ctx, cancel := context.WithTimeout(context.Background(), d)
	return bothContexts{ctx, x.r.Context()}, cancel
}

// alarm logs an error that every exchange meets while it lasts.
func (x *exchange) alarm(message string, err error) {
	x.journal.warn(message, &x.Facts, err)
}
