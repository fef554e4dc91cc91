package record

import (
	"go.opentelemetry.io/otel/attribute"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/outcome"
)

// SpanName returns the name of the span of the exchange.
func (f *Facts) SpanName() string {
	if f.Own {
		return "wsfev1 query"
	}
	return "wsfev1"
}

// Span returns the attributes of the span, which are the fields of the access log: no body, no credentials,
// no issuer. failed is the description of a failure, empty if the exchange has its answer.
func (f *Facts) Span() (failed string, attributes []attribute.KeyValue) {
	attributes = []attribute.KeyValue{
		attribute.String("wsfev1.exchange", f.ID), attribute.String("wsfev1.operation", f.OperationName()),
		attribute.String("wsfev1.outcome", string(f.Result.Outcome)), attribute.String("wsfev1.certainty", string(f.Result.Certainty)),
	}
	if f.Place.Durable {
		attributes = append(attributes, attribute.String("wsfev1.record", f.Address()))
	}
	class := f.Failure()
	if class == "" {
		return "", attributes
	}
	if class == audit.FailureGateway || outcome.IsInfrastructure(class) {
		failed = string(class) // the others are answers
	}
	return failed, append(attributes, attribute.String("wsfev1.failure", string(class)))
}
