package record

import (
	"net/http"
	"slices"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/metrics"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/validate/rules"
	"github.com/fielato/fielato/wsfev1"
)

// The values of the labels gateway and upstream.
const (
	codeFound  = "found"
	codeAbsent = "absent"
)

// agreementPairs are the combinations of values that the two labels take.
var agreementPairs = [][2]string{{codeFound, codeFound}, {codeFound, codeAbsent}, {codeAbsent, codeFound}}

// CountAnswer counts the codes of the service's answer, notes an answer to FEDummy, and compares findings.
// level returns the level of a rule at this gateway.
func (f *Facts) CountAnswer(level func(code int32) validate.Level) {
	f.countService()
	f.compareFindings(level)
}

// compareFindings counts where the rules and the upstream agree about the same
// invoices. This shows how often a rule is right before it is enforced. Not counted are
// invoices that the upstream did not look at, because it stopped before, and codes that only
// the upstream can decide.
func (f *Facts) compareFindings(level levels) {
	if f.Decision.Operation.Family != wsfev1.FamilyIssuing || f.Result.Reply.Status != http.StatusOK ||
		!slices.Contains(verdicts, f.Result.Outcome) {
		return
	}
	found := map[int][]int32{}
	for i := range f.Findings {
		if number := f.Findings[i].Number(); number != 0 {
			found[f.Findings[i].Invoice] = append(found[f.Findings[i].Invoice], number)
		}
	}
	if f.Result.Verdict.Failed {
		// Errors: the upstream did not look any further.
		var all []int32
		for _, codes := range found {
			all = append(all, codes...)
		}
		for _, code := range f.Result.Verdict.Codes {
			level.count(code, slices.Contains(all, code), true)
		}
		return
	}
	for _, code := range found[validate.Header] {
		level.count(code, true, false)
	}
	for i, v := range f.Result.Verdict.Invoices {
		switch {
		case v.Resultado != wsfev1.Aprobado && slices.Contains(v.Codes, 10016):
			// If a date is outside its window the upstream looks at nothing else.
			level.compareInvoice(slices.DeleteFunc(found[i], func(code int32) bool { return !slices.Contains(v.Codes, code) }), v.Codes)
		case v.Resultado == wsfev1.Aprobado || len(v.Codes) > 0:
			level.compareInvoice(found[i], v.Codes)
		}
	}
}

// verdicts are the outcomes of requests that the upstream has judged.
var verdicts = []audit.Outcome{audit.OutcomeApproved, audit.OutcomeObserved, audit.OutcomePartial, audit.OutcomeRejected}

// levels returns the level of a rule at a gateway.
type levels func(code int32) validate.Level

// compareInvoice compares the codes of one invoice.
func (level levels) compareInvoice(gateway, upstream []int32) {
	slices.Sort(gateway)
	for i, code := range gateway {
		if i == 0 || gateway[i-1] != code {
			level.count(code, true, slices.Contains(upstream, code))
		}
	}
	for i, code := range upstream {
		if !slices.Contains(gateway, code) && !slices.Contains(upstream[:i], code) {
			level.count(code, false, true)
		}
	}
}

func (level levels) count(code int32, gateway, upstream bool) {
	rule, known := rules.RuleByCode(code)
	if !known || rule.DecidedAt != rules.Edge || level(code) == validate.Off {
		return
	}
	if !gateway && (rule.StateToo || slices.Contains(rule.Severities, validate.SEQ)) {
		return // it may hang on the register, a rate or the last number, which are not known here
	}
	word := map[bool]string{true: codeFound, false: codeAbsent}
	agreement.WithLabelValues(metrics.CodeLabel(code), word[gateway], word[upstream]).Inc()
}
