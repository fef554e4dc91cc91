package story

import (
	"cmp"
	"slices"
	"strings"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/outcome"
	"github.com/fielato/fielato/caddymodule/internal/printable"
)

// IsAboutAnswer reports whether a finding is about the answer of the service, and not about the request.
func IsAboutAnswer(f *audit.Finding) bool { return strings.HasPrefix(f.Code, "answer.") }

// differentText is the text in English of findings that records keep about a number that another invoice has.
const differentText = "the number belongs to another invoice"

// FindingText returns the text of a finding. It goes by the record's words for programs, else by the text
// itself.
func (l Lang) FindingText(r *audit.Record, f *audit.Finding) string {
	if r.Outcome == outcome.Different && f.Severity == "SEQ" || f.Text == differentText {
		return l.T("finding.different")
	}
	return f.Text
}

// Finding is one thing that the gateway found, in words.
type Finding struct {
	Code, Severity, Action string
	// Pointer is the place in the request, and Path the place in the XML of a client that speaks SOAP.
	Pointer, Path string
	// Text explains it with its values, or says why that cannot be read.
	Text string
	// Refuses: it is a reason for the refusal.
	Refuses bool
}

// Findings words the findings of the gateway.
func (v Voice) Findings(r *audit.Record) (all []Finding) {
	for i := range r.Findings {
		f := r.Findings[i]
		f.Text = v.FindingText(r, &f)
		all = append(all, Finding{
			Code: f.Code, Severity: cmp.Or(v.T("severity."+f.Severity), f.Severity), Action: cmp.Or(v.T("action."+f.Action), f.Action),
			Pointer: f.Pointer, Path: printable.PathOf(r, &f), Text: cmp.Or(v.T(r.Presence.String()), ExplanationOf(&f)), Refuses: f.Action == "refuse",
		})
	}
	return all
}

// Said returns the messages of an answer, and who gave them. The answer to what was not forwarded, or was not
// answered, is the gateway's own; it repeats the findings that refuse, which are told already.
func (v Voice) Said(r *audit.Record) (messages []audit.Message, by string) {
	switch r.Outcome {
	case audit.OutcomeUnknown, audit.OutcomeNotSent, audit.OutcomeNotIssued:
		return audit.Messages(r.Answer), v.T("said.gateway")
	}
	switch r.Decision {
	case audit.DecisionForward, audit.DecisionAsk, audit.DecisionReplay, audit.DecisionCache:
		return audit.Messages(r.Answer), v.T("said.service")
	}
	if slices.ContainsFunc(r.Findings, func(f audit.Finding) bool { return f.Action == "refuse" }) {
		return nil, ""
	}
	return audit.Messages(r.Answer), v.T("said.gateway")
}
