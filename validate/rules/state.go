package rules

import (
	"strconv"
	"time"

	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
)

// Find returns a finding of a rule that was decided elsewhere: by a backend, which has the
// tax register and the invoices. It reports false where the rule does not bind the operation
// for this type of voucher on the day of now, or is off. invoice is the position in the lot,
// or Header; pointer is the JSON Pointer of the place.
func (r *Rules) Find(operation string, code, cbteTipo int32, now time.Time, invoice int, pointer string) (validate.Finding, bool) {
	r = r.made()
	today := r.on(now).today
	for _, rule := range rulesByCode[code] {
		for _, c := range rule.codes {
			if c.number != code || c.operation != operation || rule.types != nil && !rule.types(cbteTipo) || !r.inForce(rule, c, today) {
				continue
			}
			return validate.Finding{
				Code: strconv.Itoa(int(code)), Severity: c.severity, Action: validate.ActionAt(r.level(rule, c)),
				Pointer: pointer, Invoice: invoice, Text: rule.es, Source: sourceText(rule.sources(c)),
			}, true
		}
	}
	return validate.Finding{}, false
}

// FCEMinimum returns the amount in pesos from which an invoice between parties of the
// credit invoice regime has to be one of its own. It is not sent where none is known
// for the day of now, and the environment.
func (r *Rules) FCEMinimum(now time.Time) wsfev1.Amount { return r.made().on(now).fce.most }

// rulesByCode are the rules of each code. Those decided by state come first, as Find asks for
// them.
var rulesByCode = func() map[int32][]*rule {
	m := map[int32][]*rule{}
	for _, decided := range []Decided{State, Edge} {
		for i := range catalogue {
			rule := &catalogue[i]
			for _, c := range rule.codes {
				if rule.decidedAt() == decided {
					m[c.number] = append(m[c.number], rule)
				}
			}
		}
	}
	return m
}()
