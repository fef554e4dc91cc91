package intake

import (
	"strconv"
	"time"

	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/validate/rules"
	"github.com/fielato/fielato/wsfev1"
)

// Book is how one gateway judges requests. It does not change once its configuration runs.
type Book struct {
	// Contract is the set of operations and members that are allowed.
	Contract validate.Contract
	// Observe: rules refuse only where they are enforced by name (mode observe).
	Observe bool
	// Named are the levels that single rules are set to, by code.
	Named map[string]validate.Level
	// Settings has the tolerances and thresholds. The service's own holds in place of one that is not sent.
	Settings rules.Settings
	// Rules judge for the readers of the book. They are not those that judge for the gateway: a judgement
	// as of another day would make it plan its own day again.
	Rules *rules.Rules

	// The functions below may be nil.

	// Now is the moment as of which requests are judged.
	Now func() time.Time
	// Fill completes a request before it is judged (option fill). It returns nil if nothing is
	// filled in.
	Fill func(*validate.Request) (*validate.Request, []validate.Finding)
	// Allows reports whether an issuer may pass (option cuits).
	Allows func(wsfev1.CUIT) bool
}

// Standard is the book of a gateway without options.
var Standard = &Book{Contract: validate.ARCA}

// Action returns what follows from a finding. A level for a single rule holds in both modes: one rule can be
// enforced while all others observe.
func (b *Book) Action(f validate.Finding) validate.Action {
	if b.Observe && b.Named[f.Code] != validate.Enforce {
		return validate.ActionObserve
	}
	return f.Action
}

// Origin is what has set the level of a rule.
type Origin string

// The origins, the strongest first. FromService: no level holds, as the service alone decides the rule.
const (
	FromService  Origin = "service"
	FromRule     Origin = "rule"
	FromMode     Origin = "mode"
	FromContract Origin = "contract"
	FromDefault  Origin = "default"
)

// LevelOf returns the level of a rule and what has set it.
func (b *Book) LevelOf(rule *rules.Rule) (validate.Level, Origin) {
	named, ok := b.Named[strconv.Itoa(int(rule.Code))]
	switch {
	case rule.DecidedAt == rules.State:
		return "", FromService
	case ok && named == validate.Enforce, ok && named == validate.Off:
		return named, FromRule
	case b.Observe && rule.Default == validate.Enforce:
		return validate.Observe, FromMode
	case ok:
		return named, FromRule
	case b.Contract == validate.Base && rule.Default == validate.Enforce && rules.NeedsExtension(rule.Code):
		return validate.Observe, FromContract
	}
	return rule.Default, FromDefault
}

// IsNamed reports whether the level of a rule is set by name. Such a rule is judged before its first day too.
func (b *Book) IsNamed(code int32) bool {
	_, named := b.Named[strconv.Itoa(int(code))]
	return named
}
