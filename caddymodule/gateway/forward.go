package gateway

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"slices"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"go.uber.org/zap"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/binding"
	"github.com/fielato/fielato/caddymodule/internal/intake"
	"github.com/fielato/fielato/caddymodule/internal/metrics"
	"github.com/fielato/fielato/caddymodule/internal/outcome"
	"github.com/fielato/fielato/caddymodule/internal/trail"
	"github.com/fielato/fielato/internal/once"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
)

// forward is step 6: it calls the next handler, whatever that is, detached from the client. A
// client that leaves does not abort an operation, and the record is complete.
func (x *exchange) forward() bool {
	x.sent.forwarded = true
	x.enter("forward")
	ctx, cancel := x.forwardContext()
	defer cancel()
	if x.sent.readyAt == (once.Instant{}) {
		x.sent.readyAt = instant()
	}
	request, document := x.sentRequest()
	body := binding.NewBody(document, request, x.in.Operation.Effect == wsfev1.EffectChanges, x.sendable())
	facts := binding.Wire{Owner: x.trail, Body: body, Call: x.form.Message(), NewTicket: x.out.ticket != nil, Completed: x.out.filled != nil, Answer: x.memory.answer}
	captured := newCapture(ctx, x.w.Header(), x.memory.answer)
	begun := x.gateway.now()
	x.sent.departedAt = begun
	d := x.callNext(captured, x.outgoing(x.withStep(facts.Trace(ctx)), body, len(document)))
	x.sent.duration = x.gateway.now().Sub(begun)
	x.maskAnswerHeader(captured.sent)
	if x.sent.leg = facts.Leg(); x.sent.leg != nil {
		x.sent.anew = x.sent.leg.Anew
	}
	x.reserveAnswer(ctx, captured)
	d.status, d.cut = captured.status, captured.cut
	if err := facts.Cut(); err != nil {
		d.cut = err
	}
	d.connRequested, d.requestWritten, d.firstByte = facts.ConnRequested.Load(), facts.RequestWritten.Load(), facts.FirstByte.Load()
	d.nameUnresolved = facts.NameUnresolved.Load()
	if connecting := facts.Connecting.Load(); connecting != nil {
		d.connecting = *connecting
	}
	d.mayBeComplete, d.refused = body.End()
	d.unhandled = caddyhttp.GetVar(x.r.Context(), "unhandled") == true
	x.sent.upstream, d.upstreamChosen = x.repl.GetString("http.reverse_proxy.upstream.hostport")
	if facts.BuiltIn.Load() {
		x.sent.upstream = trail.BuiltInUpstream
	}
	x.sent.certainty = d.certainty()
	if x.sent.certainty == audit.NotSent && binding.IsLate(d.refused) {
		x.sent.lossClass = audit.FailureGateway
		return x.refuse(binding.Late(d.refused))
	}
	if x.sent.certainty != audit.Answered {
		x.sent.lossClass, x.sent.cause = d.failureClass(), d.word()
		return x.refuseUnanswered(d.cause())
	}
	x.warnOfInvented()
	x.reply = binding.Reply{Status: captured.status, Body: captured.body}
	x.reply.Header = answerHeader(captured.sent, x.reply.Body)
	x.hideTicket()
	x.read()
	return true
}

// forwardContext returns the context for the next handler, with the deadline of the operation.
// A query of the gateway also ends with the context of its caller.
func (x *exchange) forwardContext() (context.Context, context.CancelFunc) {
	within := x.gateway.deadlines[x.in.Operation.Family]
	if x.internal {
		return context.WithTimeout(x.r.Context(), within)
	}
	return x.detachedFor(within)
}

// callNext calls the next handler and recovers its panic.
func (x *exchange) callNext(w http.ResponseWriter, r *http.Request) (d forwardResult) {
	defer func() {
		if d.panicked = recover(); d.panicked != nil && !aborted(d.panicked) {
			metrics.PanicsTotal.Inc()
			x.gateway.logger.Error("the next handler panicked", x.named(),
				zap.String("panic", x.mask.Text(x.clean(fmt.Sprint(d.panicked)))), zap.Stack("stack"))
		}
	}()
	d.err = x.next.ServeHTTP(w, r)
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

// read decodes and judges the upstream's answer. An answer that is not of the operation's
// shape gets findings, and is never held back.
func (x *exchange) read() {
	typed, deviations := x.readAnswer()
	x.find(deviations, intake.Observe)
	x.answer.wellFormed = len(deviations) == 0
	x.answer.typed, x.answer.read, x.answer.verdict = typed, x.reply.Body, wsfev1.VerdictOf(typed)
	understood := validate.IsReadable(deviations) && !reflect.ValueOf(typed).Elem().IsZero()
	if outcome.DeclaresErrorBody(x.in.Operation, x.reply.Status) {
		// With any other body the request may have been carried out nevertheless.
		understood = x.answer.wellFormed
	}
	if x.isRefusedBySOAP() {
		understood = false // it has no result
	}
	if x.in.Operation.Effect == wsfev1.EffectChanges && x.sent.leg == nil && isAmbiguous(deviations) {
		understood = false // the client gets these bytes
	}
	if mismatch := x.mismatch(); understood && x.reply.Status == http.StatusOK && mismatch != "" {
		understood = false
		x.find([]validate.Finding{{
			Code: outcome.CodeMismatch, Severity: validate.OBS, Pointer: mismatch, Invoice: validate.Header,
			Text: "La respuesta no corresponde a lo que se pidió.", Source: "docs/sources.md#contract",
		}}, intake.Observe)
	}
	x.outcome = outcome.Of(x.in.Operation, x.reply.Status, understood, x.answer.verdict)
	x.weigh(understood)
	x.sent.lossClass = x.answerLoss()
	if x.outcome == audit.OutcomeUpstreamError && !x.refuses() && x.reply.IsAnotherProgram() { // a proxy's 502 means silence
		x.sent.lostCame = fmt.Sprintf("HTTP %d a %s", x.reply.Status, x.operationName())
	}
	x.countService()
	x.compareFindings()
}

// isAmbiguous reports whether another reader may take other values from an answer: the last of two members,
// or one whose name differs in case.
func isAmbiguous(deviations []validate.Finding) bool {
	return len(deviations) >= validate.MaxFindings || slices.ContainsFunc(deviations, func(f validate.Finding) bool {
		return f.Code == "answer.duplicate" || f.Code == "answer.case"
	})
}

// warnOfInvented logs an error if a real service answers and the trail has answers of the
// built-in one. This cannot be detected when the configuration starts.
func (x *exchange) warnOfInvented() {
	if x.sent.upstream != trail.BuiltInUpstream && x.trail.IsInvented() {
		x.gateway.alarm.Error("a real service answers in front of a trail with invoices of the built-in service: "+
			"a repeated request may get an invented CAE from there; give the audit of each service a store of its own",
			zap.String("log", x.trail.Log), zap.String("upstream", x.sent.upstream), x.named())
	}
}
