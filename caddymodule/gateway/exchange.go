package gateway

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/binding"
	"github.com/fielato/fielato/caddymodule/internal/intake"
	"github.com/fielato/fielato/caddymodule/internal/outage"
	"github.com/fielato/fielato/caddymodule/internal/send"
	"github.com/fielato/fielato/caddymodule/internal/tracing"
	"github.com/fielato/fielato/caddymodule/internal/trail"
	"github.com/fielato/fielato/internal/redact"
	"github.com/fielato/fielato/validate"
)

// exchange is one request and its outcome. One goroutine fills it step by step, and turns it
// once into a record, metrics and log fields.
type exchange struct {
	gateway *Gateway
	trail   *trail.Trail
	w       http.ResponseWriter
	r       *http.Request
	next    caddyhttp.Handler
	repl    *caddy.Replacer

	id string
	// trace is the trace that the request is a part of, zeros for none. spans are the exchange's
	// spans in it.
	trace audit.TraceID
	spans tracing.Spans
	// arrived is the request as it came to the exchange: spans that begin after the exchange has ended must
	// not be in its own.
	arrived *http.Request
	begun   time.Time
	// judged is the time as of which the request is judged: begun, unless the clock of the
	// built-in service is simulated. begun is recorded.
	judged time.Time
	// internal marks a query by the gateway itself.
	internal bool

	// form is the client's. in and reply are the same exchange in JSON, and clientReply is what the client gets.
	form   intake.Form
	memory memory
	// mask hides what must not be kept: credentials, and the members that the operator names.
	mask *redact.Mask
	// headers removes credentials from headers, nil until it is needed.
	headers *send.HeaderMask

	// in is the decision about the request.
	in *intake.Decision
	// credentials are those that nothing of the exchange may keep: the request's own, and a keeper's.
	credentials []string
	marks       marks

	out outgoing
	seq sequencing
	rec recording
	// ticket is a keeper's ticket in the request, nil for the client's own. noTicket is why there is none
	// although there should be.
	ticket   *send.KeptTicket
	noTicket *noTicketError
	sent     *send.Sent
	answer   received
	// probing is the monitor whose breaker this exchange probes for, nil if it does not probe.
	probing *outage.Monitor

	findings []validate.Finding
	// refusal comes from the step that refuses, reply from the step that has an answer.
	refusal *binding.Refusal
	reply   binding.Reply
	outcome audit.Outcome
	// fallback answers the client from the cache after this exchange has failed, nil for none.
	fallback *exchange
}

func newExchange(g *Gateway, t *trail.Trail, w http.ResponseWriter, r *http.Request, next caddyhttp.Handler) *exchange {
	repl := r.Context().Value(caddy.ReplacerCtxKey).(*caddy.Replacer)
	id, _ := repl.GetString("http.request.uuid")
	begun := g.now()
	x := &exchange{
		gateway: g, trail: t, w: w, r: r, arrived: r, next: next, repl: repl,
		id: id, trace: tracing.TraceOf(r), begun: begun, judged: g.clock.At(begun),
		memory: memory{body: binding.Reservation{Budget: g.bodies, MaxWait: g.maxWait()}},
		mask:   t.Redactor.Mask(g.Trail.Fields()),
		form:   intake.FormOf(r, g.policy.soap), in: new(intake.Decision),
		sent: &send.Sent{Certainty: audit.NotSent},
	}
	x.memory.answer = x.newAnswerReservation()
	repl.Map(x.placeholder)
	return x
}

// newFallback returns an exchange that can answer the same request after x has failed, with a
// record of its own. It takes over the first findings of x, those about the request, so that they
// are counted once.
func (x *exchange) newFallback(findings int) *exchange {
	in := *x.in // which x releases
	y := &exchange{
		gateway: x.gateway, trail: x.trail, w: x.w, r: x.arrived, arrived: x.arrived, next: x.next, repl: x.repl,
		id: x.id, trace: x.trace, begun: x.begun, judged: x.judged, mask: x.mask, headers: x.headers,
		form: x.form, in: &in, credentials: x.credentials, marks: x.marks, sent: &send.Sent{Certainty: audit.NotSent}, findings: slices.Clip(x.findings[:findings]),
	}
	y.memory.answer = y.newAnswerReservation()
	x.findings = x.findings[findings:]
	return y
}

// release drops everything that is not needed to send the answer, before a slow client reads it,
// and returns the reserved memory.
//
// It drops the credentials too: timers and pools of other packages refer to the exchange for
// minutes to come, and a memory dump would hold them. An exchange that has its turn keeps them
// for queries.
func (x *exchange) release() {
	x.in.Release()
	x.findings, x.credentials, x.headers = nil, nil, nil
	x.mask.Forget()
	x.answer.typed, x.answer.read = nil, nil
	x.sent.Leg, x.out = nil, outgoing{}
	if x.seq.turn == nil {
		x.seq.request, x.seq.service = nil, nil
	}
	x.form.Release()
	if size := len(x.form.Sent(x.reply, "").Body); size <= binding.MaxCommon {
		x.memory.release()
	} else {
		x.memory.body.Settle(int64(size))
	}
}

// operationName returns the value of a bounded label: one of the operations, or unknown.
func (x *exchange) operationName() string {
	if x.in.Operation == nil {
		return "unknown"
	}
	return x.in.Operation.Name
}

// find adds findings, with their actions and without credentials.
func (x *exchange) find(findings []validate.Finding, action func(validate.Finding) validate.Action) {
	x.findings = append(x.findings, intake.Acted(findings, x.trail.Redactor.Credentials(x.credentials...), action)...)
}

// refuse ends the exchange with a refusal.
func (x *exchange) refuse(f *binding.Refusal) bool {
	x.refusal = f
	return false
}

// detached returns the exchange's context without cancellation by the client: what must be
// done is done whether or not the client still waits.
func (x *exchange) detached() context.Context { return context.WithoutCancel(x.r.Context()) }

// detachedFor is detached with a time-out. Go's runtime drops a stopped timer only when its
// time has come, so the timer must not refer to the exchange.
func (x *exchange) detachedFor(d time.Duration) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithTimeout(context.Background(), d)
	return bothContexts{ctx, x.r.Context()}, cancel
}
