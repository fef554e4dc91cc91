package backend

import (
	"strconv"

	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/validate/rules"
)

// complaints returns the finding of a rule about the request as a whole that was found
// broken, if it is in force. more is added to its text.
func (b *Backend) complaints(c *call, operation string, code int32, pointer, more string) []validate.Finding {
	f, ok := b.rules.Find(operation, code, 0, c.now, validate.Header, pointer)
	if !ok {
		return nil
	}
	f.Text += more
	return []validate.Finding{f}
}

// complain adds the error to the findings about the request.
func (b *Backend) complain(c *call, operation string, code int32, pointer, more string) {
	for _, f := range b.complaints(c, operation, code, pointer, more) {
		c.findings.add(f)
	}
}

// insisted is the finding of a rule that holds whatever was decided about it: without
// it there would be nothing to answer, or something that no ledger can keep.
func insisted(code int32, pointer string) validate.Finding {
	rule, _ := rules.RuleByCode(code)
	f := validate.Finding{
		Code: strconv.Itoa(int(code)), Action: validate.ActionRefuse, Invoice: validate.Header, Pointer: pointer, Text: rule.Spanish,
	}
	if len(rule.Severities) > 0 {
		f.Severity = rule.Severities[0]
	}
	return f
}
