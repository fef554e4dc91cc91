package intake

import (
	"github.com/fielato/fielato/caddymodule/internal/binding"
)

// The operator may declare what invoices get that lack CondicionIVAReceptorId (option fill). The service
// gets the completed request, the rules judge it, and recovery compares with it. The client's own request
// stays as it came, and with it its fingerprint, its record and its repeats. So a repeat is answered as
// before, also after the operator has declared something else.

// fill completes the request by the option fill.
func (b *Book) fill(m Message, d *Decision) {
	filled := b.Filler.Fill(d.Request)
	if filled == nil {
		return
	}
	d.find(m, filled.Findings, Observe)
	if filled.Request == nil {
		return
	}
	body, err := filled.Document(d.Body)
	if err != nil {
		d.Refusal = binding.InternalUnsent(err)
		return
	}
	d.Completed = &Completed{Request: filled.Request, Body: body, Filled: filled}
}
