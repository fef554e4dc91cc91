package caddymodule

import (
	"strconv"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"go.uber.org/zap"

	"github.com/fielato/fielato/audit"
)

// address returns where the exchange's record stands: log/index.
func (x *exchange) address() string { return x.trail.log + "/" + strconv.FormatUint(x.index, 10) }

// observe turns the exchange into metrics, placeholders and log fields, once.
func (x *exchange) observe() {
	x.count()
	x.repl.Set("http.wsfev1.operation", x.operationName())
	x.repl.Set("http.wsfev1.outcome", x.outcome)
	x.repl.Set("http.wsfev1.certainty", string(x.certainty))
	fields, _ := x.r.Context().Value(caddyhttp.ExtraLogFieldsCtxKey).(*caddyhttp.ExtraLogFields)
	if fields != nil {
		fields.Set(zap.String("wsfev1_operation", x.operationName()))
		fields.Set(zap.String("wsfev1_outcome", x.outcome))
	}
	if x.recorded {
		x.repl.Set("http.wsfev1.record", x.address())
		if fields != nil {
			fields.Set(zap.String("wsfev1_record", x.address()))
		}
	}
	x.warn()
}

// warn tells the operator what a client alone cannot mend.
func (x *exchange) warn() {
	switch {
	case x.certainty == audit.Unknown, x.forwarded && x.certainty == audit.NotSent:
		var detail error
		if x.fault != nil {
			detail = x.fault.detail
		}
		x.gateway.logger.Warn("no answer from upstream",
			zap.String("operation", x.operationName()), zap.String("certainty", string(x.certainty)),
			zap.String("upstream", x.upstream), zap.String("exchange", x.id), zap.Error(detail))
	case x.outcome == outcomeUpstreamError:
		x.gateway.logger.Warn("the upstream's answer is not the operation's",
			zap.String("operation", x.operationName()), zap.Int("status", x.reply.status),
			zap.String("upstream", x.upstream), zap.String("exchange", x.id))
	}
}
