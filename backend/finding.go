package backend

import (
	"cmp"
	"slices"

	"github.com/fielato/fielato/wsfev1"
)

// The severities of a Finding: they decide where it shows up in the answer and
// what it does (domain.md §3.1).
const (
	// SeverityError rejects the whole request; it stands in Errors.
	SeverityError = "ERR"
	// SeveritySequence stands in Errors too, while the invoice is R without
	// Observaciones and ends the lot. It hides every other finding.
	SeveritySequence = "SEQ"
	// SeverityExcluding rejects the invoice and ends the lot.
	SeverityExcluding = "EXC"
	// SeverityObservation rides on an approved invoice.
	SeverityObservation = "OBS"
)

// WholeRequest is the Invoice of a finding that is about no single invoice.
const WholeRequest = -1

// Finding is one thing that a rule found wrong with a request.
type Finding struct {
	// Code is the service's own code.
	Code int32
	// Severity is ERR, SEQ, EXC or OBS.
	Severity string
	// Invoice is the position of the detail in the request, counted from 0;
	// WholeRequest for the header and for requests without details.
	Invoice int
	// Text is what Msg says, in Spanish.
	Text string
}

// judgement is what is known to be wrong with one request.
type judgement struct {
	// header holds what rejects the request as a whole.
	header []Finding
	// notes are observations on the request as a whole.
	notes []Finding
	// invoices holds what is wrong with each invoice.
	invoices map[int][]Finding
}

func newJudgement(findings []Finding) *judgement {
	j := &judgement{}
	for _, f := range findings {
		j.put(f)
	}
	return j
}

func (j *judgement) put(f Finding) {
	switch {
	case f.Severity == SeverityError, f.Invoice < 0 && f.Severity != SeverityObservation:
		j.header = append(j.header, f)
	case f.Invoice < 0:
		j.notes = append(j.notes, f)
	default:
		if j.invoices == nil {
			j.invoices = map[int][]Finding{}
		}
		j.invoices[f.Invoice] = append(j.invoices[f.Invoice], f)
	}
}

// add adds a finding about the request as a whole, unless the same was found already.
func (j *judgement) add(f Finding) {
	same := func(known Finding) bool { return known.Code == f.Code }
	if !slices.ContainsFunc(j.header, same) && !slices.ContainsFunc(j.notes, same) {
		j.put(f)
	}
}

// fail adds a finding that rejects the whole request, unless a rule already
// found the same.
func (j *judgement) fail(code int32, text string) {
	if !slices.ContainsFunc(j.header, func(f Finding) bool { return f.Code == code }) {
		j.header = append(j.header, Finding{code, SeverityError, WholeRequest, text})
	}
}

// failed reports whether the request is rejected as a whole.
func (j *judgement) failed() bool { return len(j.header) > 0 }

// report puts what rejects the request into Errors, by code.
func (j *judgement) report(envelope *wsfev1.Envelope) { reportAll(envelope, j.header) }

func reportAll(envelope *wsfev1.Envelope, findings []Finding) {
	for _, f := range byCode(findings) {
		envelope.Fail(f.Code, f.Text)
	}
}

// byCode sorts by code; findings of one code keep their order, because the
// service repeats a code for each field that breaks it.
func byCode(findings []Finding) []Finding {
	sorted := slices.Clone(findings)
	slices.SortStableFunc(sorted, func(a, b Finding) int { return cmp.Compare(a.Code, b.Code) })
	return sorted
}

func ofSeverity(findings []Finding, severity string) []Finding {
	var kept []Finding
	for _, f := range findings {
		if f.Severity == severity {
			kept = append(kept, f)
		}
	}
	return kept
}

// merge adds to what the rules found what the ledger found, leaving out codes
// that the rules found already.
func merge(rules, own []Finding) []Finding {
	merged := slices.Clone(rules)
	for _, f := range own {
		if !slices.ContainsFunc(rules, func(r Finding) bool { return r.Code == f.Code }) {
			merged = append(merged, f)
		}
	}
	return merged
}

func observaciones(findings []Finding) *wsfev1.Observaciones {
	if len(findings) == 0 {
		return nil
	}
	o := &wsfev1.Observaciones{Obs: make([]wsfev1.Obs, 0, len(findings))}
	for _, f := range byCode(findings) {
		o.Obs = append(o.Obs, wsfev1.Obs{Code: f.Code, Msg: f.Text})
	}
	return o
}
