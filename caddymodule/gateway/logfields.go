package gateway

import (
	"strings"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/trail"
)

// address returns the address of the exchange's record: log/index.
func (x *exchange) address() string { return audit.Address(x.trail.Log, x.rec.index) }

// observe turns the exchange into metrics and log fields, once. The access log has one line for
// a request, so it gets the fields of the exchange that answers.
func (x *exchange) observe() {
	x.count()
	x.notice()
	fields, ok := x.r.Context().Value(caddyhttp.ExtraLogFieldsCtxKey).(*caddyhttp.ExtraLogFields)
	if ok && x.fallback == nil && x.isLogged() {
		// One addition: each of them empties a cache of Caddy's.
		fields.Add(zap.Inline(zapcore.ObjectMarshalerFunc(x.logFields)))
	}
	x.warn()
}

// isLogged reports whether the server writes an access log: adding a field costs an
// allocation even if it is not written.
func (x *exchange) isLogged() bool {
	server, ok := x.r.Context().Value(caddyhttp.ServerCtxKey).(*caddyhttp.Server)
	return !ok || server.Logs != nil
}

// placeholder resolves {http.wsfev1.*}. A value that is not known yet is empty.
func (x *exchange) placeholder(key string) (any, bool) {
	name, ok := strings.CutPrefix(key, "http.wsfev1.")
	if !ok {
		return nil, false
	}
	if x.fallback != nil {
		return x.fallback.placeholder(key)
	}
	switch name {
	case "operation":
		return x.operationName(), true
	case "outcome":
		return string(x.outcome), true
	case "certainty":
		return string(x.sent.Certainty), true
	case "record":
		if !x.rec.durable {
			return "", true
		}
		return x.address(), true
	}
	return nil, false
}

// logFields adds the fields of the access log.
func (x *exchange) logFields(encoder zapcore.ObjectEncoder) error {
	encoder.AddString("wsfev1_operation", x.operationName())
	encoder.AddString("wsfev1_outcome", string(x.outcome))
	if call := x.form.Message(); call != nil {
		encoder.AddString("wsfev1_form", call.Form())
	}
	if x.sent.Anew != 0 {
		encoder.AddString("wsfev1_anew", x.sent.Anew.String())
	}
	if x.rec.durable {
		encoder.AddString("wsfev1_record", x.address())
	}
	if !x.trace.IsZero() {
		encoder.AddString("wsfev1_trace_id", x.trace.String())
	}
	if class := x.failure(); class != "" {
		encoder.AddString("wsfev1_failure", string(class))
	}
	return nil
}

// warn logs problems that the operator must know of and a client cannot mend.
func (x *exchange) warn() {
	switch {
	case x.rec.lost != "":
		x.gateway.logger.Warn("no usable answer from upstream: asked the service for the outcome of the request",
			zap.String("operation", x.operationName()), zap.String("outcome", string(x.outcome)),
			told("upstream", x.sent.Upstream), x.named(), told("error", x.rec.lost))
	case x.sent.Certainty == audit.Unknown, x.sent.Forwarded && x.sent.Certainty == audit.NotSent:
		x.gateway.logger.Warn("no answer from upstream",
			zap.String("operation", x.operationName()), zap.String("certainty", string(x.sent.Certainty)),
			told("upstream", x.sent.Upstream), x.named(), told("error", x.detail()))
	case x.outcome == audit.OutcomeUpstreamError:
		x.gateway.logger.Warn("the upstream's answer is not the operation's",
			zap.String("operation", x.operationName()), zap.Int("status", x.reply.Status),
			zap.String("answer", x.reply.Form()),
			told("upstream", x.sent.Upstream), x.named())
	}
}

// told returns a field, none if there is nothing to tell.
func told(name, value string) zap.Field {
	if value == "" {
		return zap.Skip()
	}
	return zap.String(name, value)
}

// named is the log field that names the exchange.
func (x *exchange) named() zap.Field { return trail.ExchangeField(x.id, x.trace) }
