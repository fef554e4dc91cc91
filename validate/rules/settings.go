package rules

import (
	"fmt"

	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
)

// Settings are what an operator may decide about the rules. The zero Settings are
// the service's own, as of the day on which a request is processed.
type Settings struct {
	// Levels sets rules apart from their defaults, by code. A rule that is named
	// here with Enforce or Observe is judged also before the day on which the
	// service begins to apply it.
	Levels map[int32]validate.Level
	// DecidesState: the owner of the levels decides the codes of state as well, as a backend
	// does (Rules.Find). Check refuses their levels otherwise: without a register and a ledger
	// they would have no effect.
	DecidesState bool
	// AbsoluteTolerance is the margin of sums and products, in the currency of the
	// invoice; for a sum of parts it holds for each of them. Default: 0.01.
	AbsoluteTolerance wsfev1.Amount
	// RelativeTolerance is the same as a fraction of the amount. Default: 0.0001,
	// which is 0.01 % (docs/sources.md#tolerance).
	RelativeTolerance wsfev1.Amount
	// ConsumerFinalThreshold is the amount in pesos from which a class B receiver
	// must be identified. Default: the service's, by date.
	ConsumerFinalThreshold wsfev1.Amount
	// FCEMinimum is the amount in pesos from which a credit invoice MiPyME may be
	// due. Default: the service's, by date.
	FCEMinimum wsfev1.Amount
	// Rates are the official rates at hand; nil is none. Rules that compare with them observe
	// (10038, 10119).
	Rates Rates
	// Tables are the service's tables at hand; nil is none. What they list is not refused for being
	// unknown.
	Tables Tables
	// Environment is the authority's environment in which requests are processed. Figures differ: where it
	// is not known, rules observe between them.
	Environment Environment
	// MaxInvoices is the largest lot. Default: DefaultMaxInvoices.
	MaxInvoices int
	// Lots knows the service's own limit, which counts instead of MaxInvoices; nil knows none.
	Lots Lots
}

// Lots knows the service's answer to FECompTotXRequest.
type Lots interface {
	// Largest returns the largest lot, 0 if the service has not answered.
	Largest() int
}

// DefaultMaxInvoices is the service's answer to FECompTotXRequest (docs/sources.md#lot-size).
const DefaultMaxInvoices = 250

func (s *Settings) setDefaults() {
	if !s.AbsoluteTolerance.Sent() {
		s.AbsoluteTolerance = wsfev1.MustAmount("0.01")
	}
	if !s.RelativeTolerance.Sent() {
		s.RelativeTolerance = wsfev1.MustAmount("0.0001")
	}
	if s.MaxInvoices == 0 {
		s.MaxInvoices = DefaultMaxInvoices
	}
}

// Check names the setting that is not allowed. Nil has none.
func (s *Settings) Check() error {
	if s == nil {
		return nil
	}
	for code, level := range s.Levels {
		rule, known := RuleByCode(code)
		switch {
		case !known:
			return fmt.Errorf("no rule has the code %d", code)
		case rule.DecidedAt == State && !s.DecidesState:
			return fmt.Errorf("rule %d is decided by the service alone: it needs the tax register or the invoices issued before", code)
		case level != validate.Enforce && level != validate.Observe && level != validate.Off:
			return fmt.Errorf("rule %d: unknown level %q: use enforce, observe or off", code, level)
		}
	}
	for name, amount := range map[string]wsfev1.Amount{
		"absolute tolerance": s.AbsoluteTolerance, "relative tolerance": s.RelativeTolerance,
		"consumer final threshold": s.ConsumerFinalThreshold, "fce minimum": s.FCEMinimum,
	} {
		if amount.Sign() < 0 || !amount.Exact() {
			return fmt.Errorf("%s %s: give an amount of 0 or more", name, amount)
		}
	}
	if s.Environment != AnyEnvironment && s.Environment != Testing && s.Environment != Production {
		return fmt.Errorf("unknown environment %q: use homo or prod", s.Environment)
	}
	if s.RelativeTolerance.Cmp(wsfev1.AmountOf(1, 0)) >= 0 {
		return fmt.Errorf("relative tolerance %s: give a fraction below 1, such as 0.0001 for 0.01 %%", s.RelativeTolerance)
	}
	for name, amount := range map[string]wsfev1.Amount{
		"consumer final threshold": s.ConsumerFinalThreshold, "fce minimum": s.FCEMinimum,
	} {
		if amount.Sent() && amount.Sign() == 0 {
			return fmt.Errorf("%s 0: give an amount in pesos above 0", name)
		}
	}
	if s.MaxInvoices < 0 {
		return fmt.Errorf("a lot of at most %d invoices: give a number from 1", s.MaxInvoices)
	}
	return nil
}
