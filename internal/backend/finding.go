package backend

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
)

// failure, excluding and sequence are findings of this package's own: the text is all that
// Msg has.
func failure(code int32, text string) validate.Finding {
	return validate.Finding{
		Code: strconv.Itoa(int(code)), Severity: validate.ERR, Action: validate.ActionRefuse, Invoice: validate.Header, Text: text,
	}
}

func excluding(code int32, text string) validate.Finding {
	return validate.Finding{Code: strconv.Itoa(int(code)), Severity: validate.EXC, Action: validate.ActionRefuse, Text: text}
}

func sequence(code int32, text string) validate.Finding {
	return validate.Finding{Code: strconv.Itoa(int(code)), Severity: validate.SEQ, Action: validate.ActionRefuse, Text: text}
}

// weightOf is the severity with which a finding counts: it decides where the finding shows
// up in the answer and what it does (docs/sources.md#severities). An observed finding is reported with the
// approved invoice, and an enforced remark rejects it.
func weightOf(f validate.Finding) validate.Severity {
	switch {
	case f.Action == validate.ActionObserve:
		return validate.OBS
	case f.Severity == validate.OBS:
		return validate.EXC
	}
	return f.Severity
}

// textOf is the Msg of a finding. One without a place is this package's own.
func textOf(f validate.Finding) string {
	if f.Pointer == "" {
		return f.Text
	}
	return f.Message()
}

// judgement holds the findings about one request.
type judgement struct {
	// header holds what rejects the request as a whole.
	header []validate.Finding
	// notes are observations on the request as a whole.
	notes []validate.Finding
	// invoices holds the findings about each invoice.
	invoices map[int][]validate.Finding
}

func newJudgement(findings []validate.Finding) *judgement {
	j := &judgement{}
	for _, f := range findings {
		j.put(f)
	}
	return j
}

func (j *judgement) put(f validate.Finding) {
	switch weight := weightOf(f); {
	case weight == validate.ERR, f.Invoice < 0 && weight != validate.OBS:
		j.header = append(j.header, f)
	case f.Invoice < 0:
		j.notes = append(j.notes, f)
	default:
		if j.invoices == nil {
			j.invoices = map[int][]validate.Finding{}
		}
		j.invoices[f.Invoice] = append(j.invoices[f.Invoice], f)
	}
}

// add adds a finding about the request as a whole, unless the same was found already.
func (j *judgement) add(f validate.Finding) {
	same := func(known validate.Finding) bool { return known.Code == f.Code }
	if !slices.ContainsFunc(j.header, same) && !slices.ContainsFunc(j.notes, same) {
		j.put(f)
	}
}

// fail adds a finding that rejects the whole request, unless a rule already
// found the same.
func (j *judgement) fail(code int32, text string) {
	f := failure(code, text)
	if !slices.ContainsFunc(j.header, func(known validate.Finding) bool { return known.Code == f.Code }) {
		j.header = append(j.header, f)
	}
}

// failed reports whether the request is rejected as a whole.
func (j *judgement) failed() bool { return len(j.header) > 0 }

// report puts what rejects the request into Errors, by code.
func (c *call) report(envelope *wsfev1.Envelope) { c.reject(envelope, c.findings.header...) }

// reject puts findings into Errors, by code.
func (c *call) reject(envelope *wsfev1.Envelope, findings ...validate.Finding) {
	for _, f := range byCode(findings) {
		envelope.Fail(f.Number(), c.text(f))
	}
}

// byCode sorts by code; findings of one code keep their order, because the
// service repeats a code for each field that breaks it.
func byCode(findings []validate.Finding) []validate.Finding {
	sorted := slices.Clone(findings)
	slices.SortStableFunc(sorted, func(a, b validate.Finding) int { return cmp.Compare(a.Number(), b.Number()) })
	return sorted
}

// ofWeight returns the findings that count as of a severity.
func ofWeight(findings []validate.Finding, severity validate.Severity) []validate.Finding {
	var kept []validate.Finding
	for _, f := range findings {
		if weightOf(f) == severity {
			kept = append(kept, f)
		}
	}
	return kept
}

// join puts groups of findings together. A code that an earlier group has is left out.
func join(groups ...[]validate.Finding) []validate.Finding {
	var all []validate.Finding
	for _, group := range groups {
		before := all
		for _, f := range group {
			if !slices.ContainsFunc(before, func(known validate.Finding) bool { return known.Code == f.Code }) {
				all = append(all, f)
			}
		}
	}
	return all
}

// observaciones are the findings on an invoice of the lot, or on the request as a whole
// (validate.Header), by code.
func (c *call) observaciones(invoice int, findings []validate.Finding) *wsfev1.Observaciones {
	if len(findings) == 0 {
		return nil
	}
	o := &wsfev1.Observaciones{Obs: make([]wsfev1.Obs, 0, len(findings))}
	for _, f := range byCode(findings) {
		f.Invoice = invoice // a finding of this package's own does not know it
		o.Obs = append(o.Obs, wsfev1.Obs{Code: f.Number(), Msg: c.text(f)})
	}
	return o
}
