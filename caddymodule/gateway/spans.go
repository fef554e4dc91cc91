package gateway

import (
	"context"
	"net/http"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/outcome"
)

// tracerName is the name of the instrumentation in traces.
const tracerName = "github.com/fielato/fielato"

// spans are the spans of one exchange in a trace of Caddy's tracing: one for the whole, and in it
// one for each step, one after the other. Where tracing is off, or does not sample the request,
// all fields are nil, and nothing is allocated.
type spans struct {
	tracer      trace.Tracer
	whole, step trace.Span
	// arrived is the request without the span of the exchange.
	arrived *http.Request
}

// beginSpans begins the span of the exchange, in which queries of the gateway have theirs.
func (x *exchange) beginSpans() {
	parent := trace.SpanFromContext(x.r.Context())
	if !parent.IsRecording() {
		return
	}
	name := "wsfev1"
	if x.internal {
		name = "wsfev1 query"
	}
	x.spans.tracer = parent.TracerProvider().Tracer(tracerName)
	ctx, whole := x.spans.tracer.Start(x.r.Context(), name)
	x.spans.whole, x.spans.arrived, x.r = whole, x.r, x.r.WithContext(ctx)
}

// arrived returns the request as it came to the exchange: spans that begin after the exchange has
// ended must not be in its own.
func (x *exchange) arrived() *http.Request {
	if x.spans.arrived != nil {
		return x.spans.arrived
	}
	return x.r
}

// enter begins the span of a step, and ends the span of the step before.
func (x *exchange) enter(step string) {
	if x.spans.tracer == nil {
		return
	}
	x.leaveStep()
	_, x.spans.step = x.spans.tracer.Start(x.r.Context(), "wsfev1 "+step)
}

func (x *exchange) leaveStep() {
	if x.spans.step != nil {
		x.spans.step.End()
		x.spans.step = nil
	}
}

// endSpans ends all spans. The attributes are the fields of the access log: no body, no
// credentials, no issuer.
func (x *exchange) endSpans() {
	if x.spans.tracer == nil {
		return
	}
	x.leaveStep()
	x.spans.tracer = nil
	whole := x.spans.whole
	whole.SetAttributes(
		attribute.String("wsfev1.exchange", x.id), attribute.String("wsfev1.operation", x.operationName()),
		attribute.String("wsfev1.outcome", string(x.outcome)), attribute.String("wsfev1.certainty", string(x.sent.certainty)),
	)
	if x.rec.durable {
		whole.SetAttributes(attribute.String("wsfev1.record", x.address()))
	}
	if class := x.failure(); class != "" {
		whole.SetAttributes(attribute.String("wsfev1.failure", string(class)))
		if class == audit.FailureGateway || outcome.IsInfrastructure(class) {
			whole.SetStatus(codes.Error, string(class)) // the others are answers
		}
	}
	whole.End()
}

// withStep returns the context for the next handler, whose spans are in the step's span.
func (x *exchange) withStep(ctx context.Context) context.Context {
	if x.spans.step == nil {
		return ctx
	}
	return trace.ContextWithSpan(ctx, x.spans.step)
}

// setTraceparent names the span of the step as the parent of the service's own. It changes a
// header only if that is about the same trace: with another propagator there is none, and a
// handler may have set it on purpose.
func (x *exchange) setTraceparent(header http.Header) {
	if x.spans.step == nil {
		return
	}
	span := x.spans.step.SpanContext()
	values := header[traceparentHeader]
	if len(values) != 1 || parseTraceparent(values[0]) != audit.TraceID(span.TraceID()) {
		return
	}
	header[traceparentHeader] = []string{"00-" + span.TraceID().String() + "-" + span.SpanID().String() + "-" + span.TraceFlags().String()}
}
