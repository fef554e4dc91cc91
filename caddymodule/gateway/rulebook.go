package gateway

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"

	"github.com/fielato/fielato/caddymodule/internal/intake"
	"github.com/fielato/fielato/caddymodule/internal/metrics"
	"github.com/fielato/fielato/caddymodule/internal/rulebook"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/validate/rules"
)

// newBook returns what this gateway decides about the rules, under settings that were checked.
func (g *Gateway) newBook(settings rules.Settings) *intake.Book {
	b := &intake.Book{
		Contract: validate.Contract(g.Contract), Observe: g.Mode == modeObserve, Named: g.Rules, Settings: settings,
		Now: func() time.Time { return g.clock.At(g.now()) }, Allows: g.allowsCuit,
	}
	b.Rules, _ = rules.NewRules(settings) // which g.rules has passed
	if g.Fill != nil {
		b.Fill = func(request *validate.Request) (*validate.Request, []validate.Finding) {
			if completed := g.filler.Fill(request); completed != nil {
				return completed.Request, completed.Findings
			}
			return nil, nil
		}
	}
	return b
}

// countsOf returns what was counted about a rule. A code without counters has none.
func countsOf(code int32) (c rulebook.Counts) {
	label := metrics.CodeLabel(code)
	if counter, ok := serviceCodesOf[code]; ok {
		c.Service = valueOf(counter)
	}
	if rule, known := rules.RuleByCode(code); !known || rule.DecidedAt != rules.Edge {
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
