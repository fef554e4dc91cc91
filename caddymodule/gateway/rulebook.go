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
	"github.com/fielato/fielato/wsfev1"
)

// newBook returns how this gateway decides about requests.
func (g *Gateway) newBook(settings rules.Settings) *intake.Book {
	b := &intake.Book{
		Contract: validate.Contract(g.Contract), Observe: g.Mode == modeObserve, Named: g.Rules, Settings: settings,
		Rules: g.rules, Filler: g.filler, Replays: g.Replay == optionOn,
		Now: func() time.Time { return g.clock.At(g.now()) }, Allows: g.allowsCuit,
		Keeps: func(cuit wsfev1.CUIT) (always, ok bool) { return g.keepers.Keeps(cuit) },
	}
	if g.Ticket == ticketCheck {
		b.RefusesTicket = func(auth wsfev1.Auth, now time.Time) string { return g.tickets.Refusal(auth, now) }
	}
	return b
}

// bookForReaders returns the same for the console.
func (g *Gateway) bookForReaders() *intake.Book {
	own, _ := rules.NewRules(g.book.Settings) // which g.rules has passed
	return g.book.ForReader(own)
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
