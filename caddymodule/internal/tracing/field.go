package tracing

import (
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"github.com/fielato/fielato/audit"
)

// ExchangeField is the log field that names an exchange: exchange, its identifier, and trace_id,
// the trace that it is a part of, if any.
func ExchangeField(id string, trace audit.TraceID) zap.Field {
	return zap.Inline(zapcore.ObjectMarshalerFunc(func(encoder zapcore.ObjectEncoder) error {
		encoder.AddString("exchange", id)
		if !trace.IsZero() {
			encoder.AddString("trace_id", trace.String())
		}
		return nil
	}))
}
