package rules

import (
	"strconv"
	"sync/atomic"
	"time"

	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
)

// Rules is a set of rules with its settings. It is safe for concurrent use. The zero Rules, and
// nil, work as NewRules does without settings.
type Rules struct {
	settings Settings
	// current is the calendar of the processing day that was judged last. A judgement of
	// another day replaces it; both calendars are right for their own day.
	current atomic.Pointer[calendar]
}

// NewRules returns the whole catalogue under settings. The error names the setting that is
// not allowed.
func NewRules(settings Settings) (*Rules, error) {
	if err := settings.Check(); err != nil {
		return nil, err
	}
	settings.setDefaults()
	return &Rules{settings: settings}, nil
}

// standard are the rules without settings.
var standard = func() *Rules {
	r := &Rules{}
	r.settings.setDefaults()
	return r
}()

// made returns r, or the standard rules for one that NewRules has not made.
func (r *Rules) made() *Rules {
	if r == nil || r.settings.MaxInvoices == 0 {
		return standard
	}
	return r
}

// LargestLot returns how many invoices a lot may have (10003).
func (r *Rules) LargestLot() int {
	settings := &r.made().settings
	if settings.Lots != nil {
		if n := settings.Lots.Largest(); n > 0 {
			return n
		}
	}
	return settings.MaxInvoices
}

// level returns the level of a code.
func (r *Rules) level(rule *rule, code code) validate.Level {
	if level, ok := r.settings.Levels[code.number]; ok {
		return level
	}
	return rule.defaultLevel(code.severity)
}

// baseLevel is level under the base contract.
func (r *Rules) baseLevel(rule *rule, code code) validate.Level {
	if _, named := r.settings.Levels[code.number]; rule.extension && !named {
		return validate.Observe
	}
	return r.level(rule, code)
}

// Level returns the level of a code under the settings, Off for one that the
// catalogue does not have.
func (r *Rules) Level(code int32) validate.Level {
	r = r.made()
	rule, known := RuleByCode(code)
	level, named := r.settings.Levels[code]
	switch {
	case !known:
		return validate.Off
	case named:
		return level
	}
	return rule.Default
}

// inForce reports whether a rule is judged under a code on a day.
func (r *Rules) inForce(rule *rule, code code, day wsfev1.Date) bool {
	if rule.notice && r.settings.DecidesState || r.level(rule, code) == validate.Off || rule.until != "" && day > rule.until {
		return false
	}
	_, named := r.settings.Levels[code.number]
	return day >= rule.from || named
}

// on returns the calendar of the day in Argentina on which now falls.
func (r *Rules) on(now time.Time) *calendar {
	day := dayOf(now)
	if c := r.current.Load(); c != nil && c.day == day {
		return c
	}
	c := r.newCalendar(day, wsfev1.DateOf(now))
	r.current.Store(c)
	return c
}

// dayOf counts the days since 1970 in Argentina.
func dayOf(now time.Time) int64 { return (now.Unix() + argentinaOffset) / secondsPerDay }

const (
	secondsPerDay   = 24 * 60 * 60
	argentinaOffset = -3 * 60 * 60
)

// calendar is what holds on one processing day. It does not change.
type calendar struct {
	// day counts the days since 1970 in Argentina.
	day   int64
	today wsfev1.Date
	// daysAgo and daysAhead are the days around today, up to maxWindow of them.
	daysAgo, daysAhead [maxWindow + 1]wsfev1.Date

	consumerFinal, fce threshold
	// plans are the rules by operation and type of voucher; a type that cannot be
	// issued has the plan of type 0, a request without a lot too.
	plans map[planKey]*plan
}

// maxWindow is the longest window of days that a rule looks at.
const maxWindow = 10

// plannedTypes are the types of voucher that have a plan of their own, and 0.
var plannedTypes = append(wsfev1.VoucherTypes(), 0)

type planKey struct {
	operation string
	cbteTipo  int32
}

// plan holds the rules for a lot of one type, or for a request without a lot.
type plan struct {
	request, lot []*boundRule
	// invoice are the rules of each invoice by the part that they need.
	invoice [parts][]*boundRule
}

// boundRule is a rule as one operation answers with it.
type boundRule struct {
	*rule
	text     string // of the number
	source   string
	number   int32
	severity validate.Severity
	// action is what follows from a finding, baseAction the same under the base contract.
	action, baseAction validate.Action
}

func (r *Rules) newCalendar(day int64, today wsfev1.Date) *calendar {
	c := &calendar{
		day: day, today: today,
		consumerFinal: thresholdOn(today, r.settings.Environment, &consumerFinalThresholds, r.settings.ConsumerFinalThreshold),
		fce:           thresholdOn(today, r.settings.Environment, &fceMinimums, r.settings.FCEMinimum),
		plans:         map[planKey]*plan{},
	}
	for n := range c.daysAgo {
		c.daysAgo[n], c.daysAhead[n] = today.AddDays(-n), today.AddDays(n)
	}
	for i := range catalogue {
		rule := &catalogue[i]
		for _, code := range rule.codes {
			if rule.decidedAt() == State || !r.inForce(rule, code, today) {
				continue
			}
			c.plan(rule, &boundRule{
				rule: rule, text: strconv.Itoa(int(code.number)), source: sourceText(rule.sources(code)), number: code.number, severity: code.severity,
				action: validate.ActionAt(r.level(rule, code)), baseAction: validate.ActionAt(r.baseLevel(rule, code)),
			}, code.operation)
		}
	}
	return c
}

// plan adds a rule to the plans of its operation.
func (c *calendar) plan(rule *rule, bound *boundRule, operation string) {
	for _, cbteTipo := range plannedTypes {
		if rule.types != nil && !rule.types(cbteTipo) {
			continue
		}
		key := planKey{operation, cbteTipo}
		p := c.plans[key]
		if p == nil {
			p = &plan{}
			c.plans[key] = p
		}
		switch {
		case rule.request != nil:
			p.request = append(p.request, bound)
		case rule.lot != nil:
			p.lot = append(p.lot, bound)
		default:
			p.invoice[rule.with] = append(p.invoice[rule.with], bound)
		}
	}
}

// planOf returns the plan of an operation and a type of voucher, nil if nothing is
// judged.
func (c *calendar) planOf(operation string, cbteTipo int32) *plan {
	if wsfev1.ClassOf(cbteTipo) == "" {
		cbteTipo = 0
	}
	return c.plans[planKey{operation, cbteTipo}]
}
