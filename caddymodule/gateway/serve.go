package gateway

import (
	"errors"
	"net/http"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"go.uber.org/zap"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/binding"
	"github.com/fielato/fielato/caddymodule/internal/intake"
	"github.com/fielato/fielato/wsfev1"
	"github.com/fielato/fielato/wsfev1/soap"
)

// step is a part of an exchange. take reports whether to go on. name is the name of its span.
type step struct {
	name string
	take func(*exchange) bool
}

var (
	clientSteps = []step{
		{"", (*exchange).take}, // its parts have spans of their own
		{"cache", (*exchange).fromCache},
		{"turn", (*exchange).takeTurn},
		{"breaker", (*exchange).passBreaker},
		{"slot", (*exchange).consult}, // its parts have spans of their own
	}
	// querySteps are the steps of the gateway's own queries.
	querySteps = []step{{"", (*exchange).understand}, {"ticket", (*exchange).takeTicket}, {"forward", (*exchange).forward}}
)

// ServeHTTP leads one exchange through its steps. It answers every request itself and returns
// an error only for a misconfiguration or a bug.
func (g *Gateway) ServeHTTP(w http.ResponseWriter, r *http.Request, next caddyhttp.Handler) error {
	if g.serveOpenAPI(w, r) || g.policy.soap && binding.ServeSOAPDocument(w, r, g.PublicURL, g.contract) {
		return nil
	}
	t, leave, err := g.trailHandle.Enter(r.Context())
	if err != nil {
		return g.turnAway(w, r, err)
	}
	defer leave()
	if binding.HasPassed(r.Context(), t) {
		return caddyhttp.Error(http.StatusInternalServerError, errPassed)
	}
	x := newExchange(g, t, w, r, next)
	defer x.memory.release()
	under := &flight{path: r.URL.Path, since: x.begun}
	g.flights.enter(under)
	defer g.flights.leave(under)
	x.run(clientSteps)
	if x.fallback == nil {
		return x.send()
	}
	x.fallback.run(nil)
	x.release()
	return x.fallback.send()
}

// run takes the steps until one has an answer, and then closes the exchange. A part that panics
// leaves an exchange that the next part can close.
func (x *exchange) run(steps []step) {
	x.r = x.spans.Begin(x.r, x.spanName())
	defer x.endSpans()
	defer x.releaseAll()
	x.attempt(func() {
		for _, s := range steps {
			if s.name != "" {
				x.spans.Enter(s.name)
			}
			if !s.take(x) {
				return
			}
		}
	})
	x.attempt(func() {
		x.reportLoss()
		x.recover()
	})
	x.attempt(x.writeRecord)
	x.spans.Leave()
	x.attempt(func() {
		x.accept() // before the waiters for the same answer check their credentials
		x.report()
		x.endProbe()
		x.leaveTurn()
		x.resumeOpen()
	})
	x.attempt(x.observe)
}

// releaseAll releases what a part that panicked still holds: no other exchange may wait for it.
func (x *exchange) releaseAll() {
	x.endProbe()
	x.abandonTurn()
}

// errPassed: a request passes two gateways with the same trail. The second would wait until
// the first has its answer.
var errPassed = errors.New("the request has passed another wsfev1 with the same trail already: remove one of the two")

// turnAway refuses a request while no trail is open.
func (g *Gateway) turnAway(w http.ResponseWriter, r *http.Request, err error) error {
	exchanges.WithLabelValues("unknown", string(audit.OutcomeUnrecorded)).Inc()
	failures.WithLabelValues(string(audit.FailureGateway)).Inc()
	g.alarm.Error("audit trail is not open", zap.Error(err))
	refusal := binding.Unrecorded(err)
	reply, err := refusal.Reply()
	if err == nil {
		reply, err = intake.FormOf(r, g.policy.soap).Answer(intake.Answer{Refusal: refusal, Reply: reply})
	}
	if err != nil {
		return caddyhttp.Error(http.StatusInternalServerError, err)
	}
	w.Header().Set(outcomeHeader, string(audit.OutcomeUnrecorded))
	_ = reply.Write(w) // a client that has left gets nothing
	return nil
}

// take is steps 1 to 4: it takes the request in, and ends the exchange if that decides so.
func (x *exchange) take() bool {
	x.gateway.announceChanges(x.judged)
	d := x.gateway.book.Take(x.w, x.r, intake.Arrival{
		Form: x.form, Redactor: x.trail.Redactor, At: x.judged, Step: x.spans.Enter,
		Admission: binding.Admission{Contract: x.gateway.contract, MaxBody: x.gateway.MaxBody, Reservation: &x.memory.body},
	})
	x.r = d.HTTP
	return x.decided(d)
}

// understand takes in a query of the gateway itself.
func (x *exchange) understand() bool {
	return x.decided(x.gateway.book.Understand(intake.Message{
		Form: x.form, Operation: x.in.Operation, Redactor: x.trail.Redactor, At: x.judged, Step: x.spans.Enter,
	}))
}

// decided takes over a decision, and reports whether the exchange goes on.
func (x *exchange) decided(d *intake.Decision) bool {
	x.in, x.credentials, x.findings = d, d.Credentials, d.Findings
	if d.Body != nil {
		x.mask.Collect(d.Body, d.WellFormed)
	}
	switch {
	case d.Refusal != nil:
		return x.refuse(d.Refusal)
	case d.Answer != nil:
		x.compose(d.Answer)
		if !d.WellFormed {
			x.outcome = audit.OutcomeMalformed
		}
		return false
	}
	return true
}

// compose ends the exchange with an answer in the operation's own shape, which refuses.
func (x *exchange) compose(answer any) bool {
	reply, err := binding.JSON(http.StatusOK, answer)
	if err != nil {
		return x.refuse(binding.Internal(err))
	}
	x.reply, x.answer.verdict, x.outcome = reply, wsfev1.VerdictOf(answer), audit.OutcomeRefused
	x.answer.wellFormed = true
	return false
}

// composeReply turns a refusal into the reply that the client gets, and the reply into its form.
func (x *exchange) composeReply() {
	var unwritten, unformed error
	if x.refusal != nil {
		x.reply, unwritten = x.refusal.Reply()
		x.outcome, x.answer.wellFormed = x.refusal.Outcome, false
	}
	answer := intake.Answer{
		Operation: x.in.Operation, Refusal: x.refusal, Reply: x.reply, Typed: x.typedReply(), Foreign: x.outcome == audit.OutcomeUpstreamError,
		Passed: x.passedOn(), Info: soap.InfoAt(serverInfo, x.gateway.clock.At(x.gateway.now()), x.id),
	}
	_, unformed = x.form.Answer(answer)
	if err := errors.Join(unwritten, unformed); err != nil {
		x.gateway.logger.Error("composing an answer", x.named(), zap.Error(err))
	}
}

// send is step 8: it sends the reply.
func (x *exchange) send() error {
	x.headerMask().Hide(x.w.Header(), nil) // the headers that the handlers in front have set
	record := ""
	if x.rec.durable {
		record = x.address()
		x.w.Header().Set(recordHeader, record)
	}
	x.w.Header().Set(outcomeHeader, string(x.outcome))
	if x.rec.state != "" {
		x.w.Header().Set(unrecordedHeader, x.rec.state+"; exchange="+x.id)
	}
	x.addQRs()
	x.addFilled()
	x.release()
	if err := x.form.Sent(x.reply, record).Write(x.w); err != nil {
		if c := x.gateway.logger.Check(zap.DebugLevel, "the client has left"); c != nil {
			c.Write(x.named(), zap.Error(err))
		}
	}
	return nil
}
