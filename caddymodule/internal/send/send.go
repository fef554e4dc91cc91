package send

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"go.uber.org/zap"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/binding"
	"github.com/fielato/fielato/caddymodule/internal/metrics"
	"github.com/fielato/fielato/caddymodule/internal/tracing"
	"github.com/fielato/fielato/wsfev1"
)

// Do hands a request to the next handler, whatever that is, and reads the answer. The context has the
// operation's deadline, and is detached from the client: one that leaves does not abort an operation, and
// the record is complete.
func Do(ctx context.Context, o *Outgoing, next caddyhttp.Handler) Sent {
	repl := o.HTTP.Context().Value(caddy.ReplacerCtxKey).(*caddy.Replacer)
	body := binding.NewBody(o.Document, o.Request, o.changes(), o.Sendable)
	body.Clear(o.Clearance)
	facts := &binding.Wire{
		Request: o.HTTP, Owner: o.Owner, Body: body, Call: o.Message, NewTicket: o.Ticket != nil, Completed: o.Filled, Answer: o.Memory,
	}
	captured := newCapture(ctx, o.Prepared, o.Memory)
	s := Sent{Forwarded: true, DepartedAt: o.Now()}
	d := o.call(next, captured, o.request(o.Spans.Within(facts.Trace(ctx)), body))
	s.Duration = o.Now().Sub(s.DepartedAt)
	o.Headers.hideInAnswer(captured.sent, repl)
	if s.Leg = facts.Leg(); s.Leg != nil {
		s.Anew = s.Leg.Anew
	}
	s.reserve(ctx, o.Memory, captured)
	d.of(captured, facts, body)
	d.unhandled = caddyhttp.GetVar(o.HTTP.Context(), "unhandled") == true
	s.Upstream, d.upstreamChosen = repl.GetString("http.reverse_proxy.upstream.hostport")
	if facts.BuiltIn.Load() {
		s.Upstream = audit.BuiltInUpstream
	}
	s.Certainty = d.certainty()
	if s.Certainty != audit.Answered {
		s.lose(o, d)
		return s
	}
	s.Reply = binding.Reply{Status: captured.status, Body: captured.body}
	s.Reply.Header = answerHeader(captured.sent, s.Reply.Body)
	s.hideTicket(o)
	s.read(o, facts)
	return s
}

// lose notes that there is no answer, and composes the refusal for the client.
func (s *Sent) lose(o *Outgoing, d forwardResult) {
	if s.Certainty == audit.NotSent && binding.IsLate(d.refused) {
		s.Failure, s.Refusal = audit.FailureGateway, binding.Late(d.refused)
		return
	}
	cause := d.cause()
	s.Failure, s.Cause = d.failureClass(), d.word()
	if binding.IsCut(cause) {
		s.Failure = binding.CutLoss(cause)
		if o.Operation.Effect == wsfev1.EffectNone {
			s.Refusal = binding.CutOff(cause, o.Memory.Most)
			return
		}
	}
	s.Refusal = binding.Unanswered(s.Certainty, o.Operation.Effect, o.Repeatable, cause)
}

// reserve reserves memory for an answer that has arrived, or drops it.
func (s *Sent) reserve(ctx context.Context, memory *binding.AnswerReservation, c *capture) {
	if c.cut == nil && c.status != 0 {
		c.cut = memory.Arrived(ctx, c.size()+s.Leg.Size())
	}
	if c.cut == nil && c.status != 0 {
		c.cut = memory.Read(ctx, c.body, false)
	}
	if c.cut != nil {
		c.body, s.Leg = nil, nil
		memory.Release()
	}
}

// call calls the next handler and recovers its panic.
func (o *Outgoing) call(next caddyhttp.Handler, w http.ResponseWriter, r *http.Request) (d forwardResult) {
	defer func() {
		if d.panicked = recover(); d.panicked != nil && !aborted(d.panicked) {
			metrics.PanicsTotal.Inc()
			o.Logger.Error("the next handler panicked", tracing.ExchangeField(o.ID, o.Trace),
				zap.String("panic", o.Mask.Text(o.Redactor.Text(fmt.Sprint(d.panicked), o.Credentials...))), zap.Stack("stack"))
		}
	}()
	d.err = next.ServeHTTP(w, r)
	return d
}

// aborted reports whether a panic is http.ErrAbortHandler, with which reverse_proxy reports
// that an answer broke off.
func aborted(panicked any) bool {
	err, ok := panicked.(error)
	return ok && errors.Is(err, http.ErrAbortHandler)
}

var (
	errBrokenAnswer = errors.New("the upstream's answer broke off")
	errNoHandler    = errors.New("no handler answered: put reverse_proxy or wsfev1_backend after wsfev1")
)
