package gateway

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

// compareFindings counts where the rules and the upstream agree about the same
// invoices. This shows how often a rule is right before it is enforced. Not counted are
// invoices that the upstream did not look at, because it stopped before, and codes that only
// the upstream can decide.
func (x *exchange) compareFindings() {
	if x.in.Operation.Family != wsfev1.FamilyIssuing || x.reply.Status != http.StatusOK ||
		!slices.Contains(verdicts, x.outcome) {
		return
	}
	found := map[int][]int32{}
	for _, f := range x.findings {
		if number := f.Number(); number != 0 {
			found[f.Invoice] = append(found[f.Invoice], number)
		}
	}
	if x.answer.verdict.Failed {
		// Errors: the upstream did not look any further.
		var all []int32
		for _, codes := range found {
			all = append(all, codes...)
		}
		for _, code := range x.answer.verdict.Codes {
			x.countAgreement(code, slices.Contains(all, code), true)
		}
		return
	}
	for _, code := range found[validate.Header] {
		x.countAgreement(code, true, false)
	}
	for i, v := range x.answer.verdict.Invoices {
		switch {
		case v.Resultado != wsfev1.Aprobado && slices.Contains(v.Codes, 10016):
			// If a date is outside its window the upstream looks at nothing else.
			x.compareInvoice(slices.DeleteFunc(found[i], func(code int32) bool { return !slices.Contains(v.Codes, code) }), v.Codes)
		case v.Resultado == wsfev1.Aprobado || len(v.Codes) > 0:
			x.compareInvoice(found[i], v.Codes)
		}
	}
}

// verdicts are the outcomes of requests that the upstream has judged.
var verdicts = []audit.Outcome{audit.OutcomeApproved, audit.OutcomeObserved, audit.OutcomePartial, audit.OutcomeRejected}

// compareInvoice compares the codes of one invoice.
func (x *exchange) compareInvoice(gateway, upstream []int32) {
	slices.Sort(gateway)
	for i, code := range gateway {
		if i == 0 || gateway[i-1] != code {
			x.countAgreement(code, true, slices.Contains(upstream, code))
		}
	}
	for i, code := range upstream {
		if !slices.Contains(gateway, code) && !slices.Contains(upstream[:i], code) {
			x.countAgreement(code, false, true)
		}
	}
}

func (x *exchange) countAgreement(code int32, gateway, upstream bool) {
	rule, known := rules.RuleByCode(code)
	if !known || rule.DecidedAt != rules.Edge || x.gateway.rules.Level(code) == validate.Off {
		return
	}
	if !gateway && (rule.StateToo || slices.Contains(rule.Severities, validate.SEQ)) {
		return // it may hang on the register, a rate or the last number, which are not known here
	}
	word := map[bool]string{true: codeFound, false: codeAbsent}
	agreement.WithLabelValues(metrics.CodeLabel(code), word[gateway], word[upstream]).Inc()
}
