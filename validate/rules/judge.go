package rules

import (
	"strings"
	"sync"
	"time"

	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
)

// Judge runs the rules over a request of right shape, processed now, and returns
// what they find: the header first, then the invoices in the order of the lot,
// each by ascending code. A break of the sequence hides what else is wrong with
// its invoice and ends the lot, as it does in the service.
//
// A request that is not Typed cannot be judged and must not pass: it has one finding of shape.
func (r *Rules) Judge(req *validate.Request, now time.Time) []validate.Finding {
	if !req.Typed() {
		return []validate.Finding{validate.UnknownOperation()}
	}
	j := judgements.Get().(*judgement)
	defer j.release()
	j.judge(r.made(), req, now)
	return j.findings
}

// judge fills the findings.
func (j *judgement) judge(r *Rules, req *validate.Request, now time.Time) {
	j.req, j.rules, j.calendar, j.now = req, r, r.on(now), now
	j.base = req.Contract == validate.Base
	auth := wsfev1.AuthOf(req.Body)
	if lot := wsfev1.LotOf(req.Body); lot != nil {
		j.all = *lot
		j.judgeLot(&j.all, auth.Cuit)
	} else if plan := j.calendar.planOf(req.Operation.Name, 0); plan != nil {
		j.request = requestCheck{report: &j.report, Cuit: auth.Cuit}
		for _, bound := range plan.request {
			j.begin(bound, validate.Header)
			bound.rule.request(&j.request)
		}
	}
	validate.SortFindings(j.findings)
}

// judgement is one run of the rules. What rules are given points into it, so that
// a request without findings costs no allocation.
type judgement struct {
	report
	all     wsfev1.Lot
	request requestCheck
	lot     lotCheck
	invoice invoiceCheck
}

var judgements = sync.Pool{New: func() any { return new(judgement) }}

// release drops the reference to the request.
func (j *judgement) release() {
	*j = judgement{}
	judgements.Put(j)
}

func (j *judgement) judgeLot(lot *wsfev1.Lot, issuer wsfev1.CUIT) {
	plan := j.calendar.planOf(j.req.Operation.Name, lot.Header.CbteTipo)
	if plan == nil {
		return
	}
	j.lot = lotCheck{report: &j.report, Lot: lot}
	for _, bound := range plan.lot {
		j.begin(bound, validate.Header)
		bound.rule.lot(&j.lot)
	}
	j.invoice = invoiceCheck{
		report: &j.report, lot: lot, Issuer: issuer,
		PtoVta: lot.Header.PtoVta, CbteTipo: lot.Header.CbteTipo, Class: wsfev1.ClassOf(lot.Header.CbteTipo),
	}
	for i := range lot.Len() {
		j.invoice.FECAEDetRequest, j.invoice.CAEA, j.invoice.index = lot.Invoice(i), lot.CAEAInvoice(i), i
		if before := len(j.findings); j.judgeInvoice(plan, before) {
			return
		}
	}
}

// judgeInvoice reports whether the invoice ends the lot: a break of the sequence
// does, and what else was found in it is dropped.
func (j *judgement) judgeInvoice(plan *plan, before int) (ends bool) {
	for with := range plan.invoice {
		if len(plan.invoice[with]) == 0 || !part(with).has(j.invoice.FECAEDetRequest) {
			continue
		}
		for _, bound := range plan.invoice[with] {
			if j.begin(bound, j.invoice.index); j.budget().truncated {
				continue // nothing that it finds is kept
			}
			bound.rule.invoice(&j.invoice)
		}
	}
	kept := before
	for _, f := range j.findings[before:] {
		if f.Severity == validate.SEQ && f.Action == validate.ActionRefuse {
			j.findings[kept] = f
			kept++
		}
	}
	if ends = kept > before; ends {
		j.findings = j.findings[:kept]
	}
	return ends
}

// report collects what rules find.
type report struct {
	req      *validate.Request
	rules    *Rules
	calendar *calendar
	now      time.Time
	// base: the request was read under the base contract.
	base     bool
	findings []validate.Finding
	// refusing and observing are the budgets of the two actions: observations do not use up the
	// budget of refusals.
	refusing, observing budget
	// unreported is the finding to write into when none can be kept.
	unreported *validate.Finding
	// running is the rule that runs, at the invoice that it looks at or Header.
	running *boundRule
	at      int
	// admitted: a table of Settings.Tables has admitted something.
	admitted bool
}

func (r *report) begin(bound *boundRule, at int) { r.running, r.at = bound, at }

// budget counts the findings of one action against MaxFindings.
type budget struct {
	// taken counts those that are kept, last is the position of the latest.
	taken, last int
	// truncated: more was found than is kept.
	truncated bool
}

// action is the action of the running rule's findings.
func (r *report) action() validate.Action {
	if r.base {
		return r.running.baseAction
	}
	return r.running.action
}

// budget returns the budget that the running rule uses.
func (r *report) budget() *budget {
	if r.action() == validate.ActionRefuse {
		return &r.refusing
	}
	return &r.observing
}

// full reports whether no more findings of the running rule are kept.
func (r *report) full() bool { return r.budget().taken == validate.MaxFindings }

// find adds a finding of the rule that runs. Past MaxFindings of its action it only marks the
// last one.
func (r *report) find(pointer string) *validate.Finding {
	budget := r.budget()
	if budget.taken == validate.MaxFindings {
		if !budget.truncated {
			budget.truncated, r.unreported = true, new(validate.Finding)
			last := &r.findings[budget.last]
			last.Text = strings.TrimSuffix(last.Text, ".") + ". " + strings.TrimSuffix(validate.TextOfMore, ".")
		}
		*r.unreported = validate.Finding{}
		return r.unreported
	}
	budget.taken, budget.last = budget.taken+1, len(r.findings)
	r.findings = append(r.findings, validate.Finding{
		Code: r.running.text, Severity: r.running.severity, Action: r.action(), Pointer: pointer,
		Invoice: r.at, Text: r.running.es, Source: r.running.source,
	})
	return &r.findings[len(r.findings)-1]
}
