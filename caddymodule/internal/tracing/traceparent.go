package tracing

import (
	"net/http"
	"strings"

	"go.opentelemetry.io/otel/trace"

	"github.com/fielato/fielato/audit"
)

// traceparentHeader is the header of W3C Trace Context. Its name is canonical: maps of headers
// have it so.
const traceparentHeader = "Traceparent"

// TraceOf returns the trace that a request is a part of: the trace of Caddy's span, or else the
// one that the client names in a valid header, zeros for none.
func TraceOf(r *http.Request) audit.TraceID {
	if span := trace.SpanContextFromContext(r.Context()); span.IsValid() {
		return audit.TraceID(span.TraceID())
	}
	values := r.Header[traceparentHeader]
	if len(values) != 1 {
		return audit.TraceID{}
	}
	return parseTraceparent(values[0])
}

// The fields of a traceparent: version, trace-id, parent-id and flags, with hyphens between.
const (
	versionEnds     = 2
	traceIDBegins   = versionEnds + 1
	traceIDEnds     = traceIDBegins + 32
	parentIDBegins  = traceIDEnds + 1
	parentIDEnds    = parentIDBegins + 16
	flagsBegin      = parentIDEnds + 1
	traceparentSize = flagsBegin + 2
)

// parseTraceparent returns the trace of a traceparent, zeros if that is not valid. Of a version
// to come it reads the fields of version 00, which it must begin with (Trace Context, 3.2.4).
//
// Everything that it returns is logged and recorded, so nothing of the client's text gets past
// but hexadecimal digits.
func parseTraceparent(text string) audit.TraceID {
	if len(text) < traceparentSize || text[versionEnds] != '-' || text[traceIDEnds] != '-' || text[parentIDEnds] != '-' {
		return audit.TraceID{}
	}
	version, parent, flags := text[:versionEnds], text[parentIDBegins:parentIDEnds], text[flagsBegin:traceparentSize]
	switch {
	case !isLowerHex(version) || version == "ff":
		return audit.TraceID{}
	case len(text) > traceparentSize && (version == "00" || text[traceparentSize] != '-'):
		return audit.TraceID{}
	case !isLowerHex(parent) || strings.Trim(parent, "0") == "" || !isLowerHex(flags):
		return audit.TraceID{}
	}
	id, err := audit.ParseTraceID(text[traceIDBegins:traceIDEnds])
	if err != nil {
		return audit.TraceID{}
	}
	return id
}

func isLowerHex(text string) bool { return strings.Trim(text, "0123456789abcdef") == "" }
