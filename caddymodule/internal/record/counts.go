package record

import (
	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"

	"github.com/fielato/fielato/caddymodule/internal/metrics"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/validate/rules"
)

// Counts are what was counted about a rule.
type Counts struct {
	// Refused and Observed are findings, by what followed from them.
	Refused, Observed uint64
	// Service is how often the service has answered with the code.
	Service uint64
	// Both, GatewayAlone and ServiceAlone are invoices that both judged, by who has found the code.
	Both, GatewayAlone, ServiceAlone uint64
}

// CountsOf returns what was counted about a rule. A code without counters has none.
func CountsOf(code int32) (c Counts) {
	rule, known := rules.RuleByCode(code)
	if !known {
		return c
	}
	label := metrics.CodeLabel(code)
	c.Service = valueOf(serviceCodes.WithLabelValues(label))
	if rule.DecidedAt != rules.Edge {
		return c
	}
	c.Refused = valueOf(findings.WithLabelValues(label, string(validate.ActionRefuse)))
	c.Observed = valueOf(findings.WithLabelValues(label, string(validate.ActionObserve)))
	c.Both = valueOf(agreement.WithLabelValues(label, codeFound, codeFound))
	c.GatewayAlone = valueOf(agreement.WithLabelValues(label, codeFound, codeAbsent))
	c.ServiceAlone = valueOf(agreement.WithLabelValues(label, codeAbsent, codeFound))
	return c
}

// valueOf reads a counter.
func valueOf(counter prometheus.Counter) uint64 {
	var read dto.Metric
	if err := counter.Write(&read); err != nil {
		return 0 // counters of this package do not fail
	}
	return uint64(read.GetCounter().GetValue())
}
