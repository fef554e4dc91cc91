package gateway

import (
	"go.opentelemetry.io/otel/attribute"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/outcome"
)

func (x *exchange) spanName() string {
	if x.internal {
		return "wsfev1 query"
	}
	return "wsfev1"
}

// endSpans ends all spans. The attributes are the fields of the access log: no body, no
// credentials, no issuer.
func (x *exchange) endSpans() {
	if !x.spans.Recorded() {
		return
	}
	attributes := []attribute.KeyValue{
		attribute.String("wsfev1.exchange", x.id), attribute.String("wsfev1.operation", x.operationName()),
		attribute.String("wsfev1.outcome", string(x.outcome)), attribute.String("wsfev1.certainty", string(x.sent.Certainty)),
	}
	if x.rec.durable {
		attributes = append(attributes, attribute.String("wsfev1.record", x.address()))
	}
	class, failed := x.failure(), ""
	if class != "" {
		attributes = append(attributes, attribute.String("wsfev1.failure", string(class)))
		if class == audit.FailureGateway || outcome.IsInfrastructure(class) {
			failed = string(class) // the others are answers
		}
	}
	x.spans.End(failed, attributes...)
}
