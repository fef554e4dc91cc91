package intake

import (
	"github.com/fielato/fielato/internal/mask"
	"github.com/fielato/fielato/validate"
)

// Observe is the action of a finding that is only written down.
func Observe(validate.Finding) validate.Action { return validate.ActionObserve }

// find adds findings, with their actions and without credentials.
func (d *Decision) find(m Message, findings []validate.Finding, action func(validate.Finding) validate.Action) {
	if len(findings) == 0 {
		return
	}
	secrets := d.Credentials
	if len(m.Secrets) > 0 {
		secrets = append(m.Secrets, secrets...)
	}
	d.Findings = append(d.Findings, Acted(findings, m.Redactor.Credentials(secrets...), action)...)
}

// Acted sets the actions of findings and removes credentials from them, in place: their places may hold
// names made by the client or the service, and their texts values.
func Acted(findings []validate.Finding, credentials *mask.Credentials, action func(validate.Finding) validate.Action) []validate.Finding {
	// The invoices of a lot often have the same texts, and searching a text for a long Token
	// costs microseconds.
	clean := map[string]string{}
	pointers, quoted := make([]*string, 0, 2*len(findings)), make([]*string, 0, len(findings))
	for i := range findings {
		pointers, quoted = append(pointers, &findings[i].Pointer, &findings[i].Path), append(quoted, &findings[i].Got)
	}
	credentials.Together(pointers, quoted)
	for i := range findings {
		f := &findings[i]
		f.Pointer, f.Path = credentials.Pointer(f.Pointer), credentials.Pointer(f.Path)
		for _, text := range []*string{&f.Text, &f.Expected, &f.Got, &f.Difference} {
			cleaned, done := clean[*text]
			if !done {
				cleaned = credentials.Text(*text)
				clean[*text] = cleaned
			}
			*text = cleaned
		}
		f.Action = action(*f)
	}
	return findings
}
