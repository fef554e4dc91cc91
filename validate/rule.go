package validate

import (
	"fmt"
	"strconv"

	"github.com/fielato/fielato/wsfev1"
)

// Rule is one rule of the service: data, and a function of a few lines that reads
// like the sentence which it implements.
type Rule struct {
	// Code is the service's own number.
	Code     int32
	Severity Severity
	// Operations are the operations that the rule is about.
	Operations []string
	// Spanish and English say what is wrong when the rule finds something.
	Spanish, English string
	// Source names where the rule comes from.
	Source string

	// One of the two is set: a rule looks at the lot or at each invoice of it.
	lot     func(*lotCheck)
	invoice func(*invoiceCheck)
}

// Rules is a set of rules with its settings. It is immutable and safe for
// concurrent use.
type Rules struct {
	// MaxInvoices is the largest lot: FECompTotXRequest answers with it.
	maxInvoices int
	byOperation map[string]*operationRules
}

type operationRules struct{ lot, invoice []*Rule }

// DefaultMaxInvoices is what the service answers to FECompTotXRequest (domain.md §5.5).
const DefaultMaxInvoices = 250

// NewRules returns the whole catalogue.
func NewRules() *Rules {
	r := &Rules{maxInvoices: DefaultMaxInvoices, byOperation: map[string]*operationRules{}}
	for i := range catalogue {
		rule := &catalogue[i]
		for _, name := range rule.Operations {
			set := r.byOperation[name]
			if set == nil {
				set = &operationRules{}
				r.byOperation[name] = set
			}
			if rule.lot != nil {
				set.lot = append(set.lot, rule)
			} else {
				set.invoice = append(set.invoice, rule)
			}
		}
	}
	return r
}

// Catalogue lists the rules by ascending code.
func Catalogue() []Rule { return append([]Rule(nil), catalogue...) }

// Judge runs the rules over a request of right shape and returns what they find:
// the header first, then the invoices in the order of the lot, each by ascending
// code.
func (r *Rules) Judge(req *Request) []Finding {
	set := r.byOperation[req.Operation.Name]
	lot := wsfev1.LotOf(req.Body)
	if set == nil || lot == nil {
		return nil
	}
	report := report{req: req}
	check := lotCheck{report: &report, rules: r, Lot: lot}
	for _, rule := range set.lot {
		report.rule, report.at = rule, Header
		rule.lot(&check)
	}
	class := wsfev1.ClassOf(lot.Header.CbteTipo)
	for i := range lot.Len() {
		invoice := invoiceCheck{
			report: &report, FECAEDetRequest: lot.Invoice(i), lot: lot, index: i,
			CbteTipo: lot.Header.CbteTipo, Class: class,
		}
		for _, rule := range set.invoice {
			report.rule, report.at = rule, i
			rule.invoice(&invoice)
		}
	}
	sortFindings(report.findings)
	return report.findings
}

// lotCheck is a lot under inspection.
type lotCheck struct {
	*report
	*wsfev1.Lot
	rules *Rules
}

func (c *lotCheck) headerPointer(member string) string { return c.HeaderPointer + "/" + member }

// invoiceCheck is an invoice under inspection.
type invoiceCheck struct {
	*report
	*wsfev1.FECAEDetRequest
	CbteTipo int32
	Class    wsfev1.Class

	lot   *wsfev1.Lot
	index int
}

// pointer returns the JSON Pointer of a place within the invoice: member names
// and positions.
func (c *invoiceCheck) pointer(path ...any) string {
	p := []byte(c.lot.InvoicePointer(c.index))
	for _, step := range path {
		p = fmt.Append(append(p, '/'), step)
	}
	return string(p)
}

// report collects what rules find.
type report struct {
	req      *Request
	findings []Finding
	// full tells that there was more to find than is kept.
	full bool
	// rule is the rule that runs, at the invoice that it looks at or Header.
	rule *Rule
	at   int
}

// find adds a finding of the rule that runs. Past maxFindings it only says that
// there are more.
func (r *report) find(pointer string) *Finding {
	if len(r.findings) == maxFindings {
		if last := &r.findings[maxFindings-1]; !r.full {
			r.full = true
			last.Text += " " + shapeTooMany.text
		}
		return &Finding{}
	}
	f := Finding{
		Code: strconv.Itoa(int(r.rule.Code)), Severity: r.rule.Severity, Pointer: pointer,
		Invoice: r.at, Text: r.rule.Spanish, Source: r.rule.Source,
	}
	if r.req.Absent(pointer) {
		f.Text += " El campo no fue informado."
	}
	r.findings = append(r.findings, f)
	return &r.findings[len(r.findings)-1]
}

// findAmounts adds a finding about two amounts that differ.
func (r *report) findAmounts(pointer string, expected, got, tolerance wsfev1.Amount) {
	f := r.find(pointer)
	// A figure is as long as the client makes it: 1.50 with a million zeros.
	f.Expected, f.Got, f.Tolerance = printable(expected.String()), printable(got.String()), tolerance.String()
}
