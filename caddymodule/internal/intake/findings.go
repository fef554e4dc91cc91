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

// Acted sets the actions of findings and removes credentials from them, in place.
func Acted(findings []validate.Finding, credentials *mask.Credentials, action func(validate.Finding) validate.Action) []validate.Finding {
	credentials.Findings(findings)
	for i := range findings {
		findings[i].Action = action(findings[i])
	}
	return findings
}
