package record

import (
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/tracing"
)

// LogFields adds the fields of the access log.
func (f *Facts) LogFields(encoder zapcore.ObjectEncoder) error {
	encoder.AddString("wsfev1_operation", f.OperationName())
	encoder.AddString("wsfev1_outcome", string(f.Result.Outcome))
	if call := f.Form.Message(); call != nil {
		encoder.AddString("wsfev1_form", call.Form())
	}
	if f.Sent.Anew != 0 {
		encoder.AddString("wsfev1_anew", f.Sent.Anew.String())
	}
	if f.Place.Durable {
		encoder.AddString("wsfev1_record", f.Address())
	}
	if !f.Trace.IsZero() {
		encoder.AddString("wsfev1_trace_id", f.Trace.String())
	}
	if class := f.Failure(); class != "" {
		encoder.AddString("wsfev1_failure", string(class))
	}
	return nil
}

// Warn logs problems that the operator must know of and a client cannot mend.
func (f *Facts) Warn(logger *zap.Logger) {
	switch {
	case f.Result.Lost != "":
		logger.Warn("no usable answer from upstream: asked the service for the outcome of the request",
			zap.String("operation", f.OperationName()), zap.String("outcome", string(f.Result.Outcome)),
			told("upstream", f.Sent.Upstream), f.Field(), told("error", f.Result.Lost))
	case f.Result.Certainty == audit.Unknown, f.Sent.Forwarded && f.Result.Certainty == audit.NotSent:
		logger.Warn("no answer from upstream",
			zap.String("operation", f.OperationName()), zap.String("certainty", string(f.Result.Certainty)),
			told("upstream", f.Sent.Upstream), f.Field(), told("error", f.Detail()))
	case f.Result.Outcome == audit.OutcomeUpstreamError:
		logger.Warn("the upstream's answer is not the operation's",
			zap.String("operation", f.OperationName()), zap.Int("status", f.Result.Reply.Status),
			zap.String("answer", f.Result.Reply.Form()),
			told("upstream", f.Sent.Upstream), f.Field())
	}
}

// told returns a field, none if there is nothing to tell.
func told(name, value string) zap.Field {
	if value == "" {
		return zap.Skip()
	}
	return zap.String(name, value)
}

// Field is the log field that names the exchange.
func (f *Facts) Field() zap.Field { return tracing.ExchangeField(f.ID, f.Trace) }
