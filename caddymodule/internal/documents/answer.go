package documents

import (
	"bytes"
	"slices"

	"github.com/fielato/fielato/caddymodule/internal/binding"
	"github.com/fielato/fielato/caddymodule/internal/intake"
	"github.com/fielato/fielato/internal/members"
	"github.com/fielato/fielato/validate"
)

// Answer is the answer to a request that is refused, as its client would get it.
type Answer struct {
	Status int
	Body   []byte
	// Withheld: it quotes credentials, and is not shown.
	Withheld bool
}

// Answer returns the answer to a refused document, nil if the gateway would send the request on.
func (c *Judge) Answer(r *Result) (*Answer, error) {
	if !r.Refused() {
		return nil, nil
	}
	reply, err := r.reply()
	if err != nil {
		return nil, err
	}
	a := &Answer{Status: reply.Status, Body: reply.Body}
	if credentials := c.Redactor.Credentials(r.credentials()...); credentials.Text(string(a.Body)) != string(a.Body) {
		a.Body, a.Withheld = nil, true
	}
	return a, nil
}

// WithoutTicket returns a document that was judged as it may be shown: without Token and Sign, and with all other
// bytes as they were. It returns false for one that quotes them elsewhere, or in which they cannot be found: one in
// SOAP, and one that is not of its operation's shape.
func (c *Judge) WithoutTicket(r *Result, document []byte) ([]byte, bool) {
	if r.decision == nil || !r.decision.WellFormed || r.form.Message() != nil {
		return nil, false
	}
	text := members.Remove(document, "/Auth", "Token", "Sign")
	kept, ok := c.Redactor.Credentials(r.credentials()...).Document(text)
	return text, ok && bytes.Equal(kept, text)
}

// credentials are the texts that the answer must not quote.
func (r *Result) credentials() []string {
	if r.decision == nil {
		return nil
	}
	return append(r.secrets, r.decision.Credentials...)
}

// reply writes the answer in the form of the document.
func (r *Result) reply() (binding.Reply, error) {
	if r.decision == nil || !r.decision.Ends() { // nothing was read, and a finding says why
		return binding.Malformed(slices.Clone(r.Findings)).Reply()
	}
	reply, err := r.decision.Reply()
	if err != nil {
		return binding.Reply{}, err
	}
	return r.form.Answer(intake.Answer{Operation: r.decision.Operation, Refusal: r.decision.Refusal, Reply: reply, Typed: r.decision.Answer})
}

// Refused reports whether a finding refuses the document.
func (r *Result) Refused() bool {
	return slices.ContainsFunc(r.Findings, func(f validate.Finding) bool { return f.Action == validate.ActionRefuse })
}
