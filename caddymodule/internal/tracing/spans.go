package tracing

import (
	"context"
	"net/http"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/fielato/fielato/audit"
)

// tracerName is the name of the instrumentation in traces.
const tracerName = "github.com/fielato/fielato"

// Spans are the spans of one exchange in a trace of Caddy's tracing: one for the whole, and in it
// one for each step, one after the other. Where tracing is off, or does not sample the request,
// nothing is allocated. The zero value has none. One goroutine uses them.
type Spans struct {
	tracer      trace.Tracer
	whole, step trace.Span
	request     context.Context //nolint:containedctx // of the span of the exchange, in which the steps have theirs
}

// Begin begins the span of an exchange, and returns the request in it. name is the name of the span.
func (s *Spans) Begin(r *http.Request, name string) *http.Request {
	parent := trace.SpanFromContext(r.Context())
	if !parent.IsRecording() {
		return r
	}
	s.tracer = parent.TracerProvider().Tracer(tracerName)
	s.request, s.whole = s.tracer.Start(r.Context(), name)
	return r.WithContext(s.request)
}

// Enter begins the span of a step, and ends the span of the step before.
func (s *Spans) Enter(step string) {
	if s.tracer == nil {
		return
	}
	s.Leave()
	_, s.step = s.tracer.Start(s.request, "wsfev1 "+step)
}

// Leave ends the span of the step.
func (s *Spans) Leave() {
	if s.step != nil {
		s.step.End()
		s.step = nil
	}
}

// Recorded reports whether the exchange has spans, so that End needs attributes.
func (s *Spans) Recorded() bool { return s.tracer != nil }

// End ends all spans. failed is a description of the exchange's failure, empty if it has its answer.
func (s *Spans) End(failed string, attributes ...attribute.KeyValue) {
	if s.tracer == nil {
		return
	}
	s.Leave()
	s.whole.SetAttributes(attributes...)
	if failed != "" {
		s.whole.SetStatus(codes.Error, failed)
	}
	s.whole.End()
	s.tracer = nil
}

// Within returns the context for the next handler, whose spans are in the step's span.
func (s *Spans) Within(ctx context.Context) context.Context {
	if s.step == nil {
		return ctx
	}
	return trace.ContextWithSpan(ctx, s.step)
}

// SetTraceparent names the span of the step as the parent of the service's own. It changes a
// header only if that is about the same trace: with another propagator there is none, and a
// handler may have set it on purpose.
func (s *Spans) SetTraceparent(header http.Header) {
	if s.step == nil {
		return
	}
	span := s.step.SpanContext()
	values := header[traceparentHeader]
	if len(values) != 1 || parseTraceparent(values[0]) != audit.TraceID(span.TraceID()) {
		return
	}
	header[traceparentHeader] = []string{"00-" + span.TraceID().String() + "-" + span.SpanID().String() + "-" + span.TraceFlags().String()}
}

// Steps returns Enter for others to call, nil if no spans are recorded.
func (s *Spans) Steps() func(step string) {
	if s.tracer == nil {
		return nil
	}
	return s.Enter
}
