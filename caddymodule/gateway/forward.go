package gateway

import (
	"context"

	"go.uber.org/zap"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/send"
	"github.com/fielato/fielato/caddymodule/internal/trail"
	"github.com/fielato/fielato/internal/once"
)

// forward is step 6: it sends the request, detached from the client. A client that leaves does not abort an
// operation, and the record is complete.
func (x *exchange) forward() bool {
	x.spans.Enter("forward")
	ctx, cancel := x.forwardContext()
	defer cancel()
	if x.rec.readyAt == (once.Instant{}) {
		x.rec.readyAt = instant()
	}
	o := x.outgoing()
	x.sent.Forwarded = true // whatever happens in Do
	x.sent = send.Do(ctx, o, x.next)
	x.findings = append(x.findings, x.sent.Findings...)
	if x.sent.Refusal != nil {
		return x.refuse(x.sent.Refusal)
	}
	x.warnOfInvented()
	x.reply, x.outcome = x.sent.Reply, x.sent.Outcome
	x.answer = received{
		typed: x.sent.Typed, read: x.sent.Read, verdict: x.sent.Verdict, wellFormed: x.sent.WellFormed, reading: x.sent.Reading,
	}
	x.countService()
	x.compareFindings()
	return true
}

// outgoing returns the request for the service.
func (x *exchange) outgoing() *send.Outgoing {
	request, document := x.sentRequest()
	return &send.Outgoing{
		Operation: x.in.Operation, Asked: x.in.Request, Subject: x.in.Subject,
		Request: request, Document: document, Filled: x.in.Completed != nil, Ticket: x.ticket,
		HTTP: x.r, Prepared: x.w.Header(), Message: x.form.Message(),
		Owner: x.trail, Sendable: x.sendable(), Repeatable: x.repeatable(), Memory: x.memory.answer,
		Redactor: x.trail.Redactor, Mask: x.mask, Headers: x.headerMask(), Credentials: x.credentials,
		Spans: &x.spans, Logger: x.gateway.logger, Name: trail.ExchangeField(x.id, x.trace), Now: x.gateway.now,
	}
}

// headerMask returns the mask of the exchange, nil while no credentials are known.
func (x *exchange) headerMask() *send.HeaderMask {
	if x.headers == nil {
		x.headers = send.NewHeaderMask(x.trail.Redactor, x.credentials)
	}
	return x.headers
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

// warnOfInvented logs an error if a real service answers and the trail has answers of the
// built-in one. This cannot be detected when the configuration starts.
func (x *exchange) warnOfInvented() {
	if x.sent.Upstream != audit.BuiltInUpstream && x.trail.IsInvented() {
		x.gateway.alarm.Error("a real service answers in front of a trail with invoices of the built-in service: "+
			"a repeated request may get an invented CAE from there; give the audit of each service a store of its own",
			zap.String("log", x.trail.Log), zap.String("upstream", x.sent.Upstream), x.named())
	}
}
