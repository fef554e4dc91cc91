package intake

import (
	"slices"
	"strings"
	"time"

	"github.com/fielato/fielato/caddymodule/internal/binding"
	"github.com/fielato/fielato/caddymodule/internal/fill"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/validate/rules"
	"github.com/fielato/fielato/wsfev1"
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

// mayHavePassed reports whether a request is refused only for what may not have refused it when it came
// first: for a member that it lacks and that was filled in, as the operator has declared something else
// since; or by a rule that has just come into force. It is refused once it is known to be no repeat: a
// client without its answer must get the CAE that it has.
func (b *Book) mayHavePassed(d *Decision, refusing []validate.Finding, now time.Time) bool {
	return b.Replays && d.Operation.Effect == wsfev1.EffectChanges &&
		!slices.ContainsFunc(refusing, func(f validate.Finding) bool { return !b.lacksFilled(d, f) && !isNewlyRefused(f, now) })
}

// lacksFilled reports whether a finding is about a member that the invoice lacks, and that may have been
// filled in.
func (b *Book) lacksFilled(d *Decision, f validate.Finding) bool {
	if b.Filler == nil {
		return false
	}
	invoice := wsfev1.LotOf(d.Request.Body).Invoice(f.Invoice)
	return invoice != nil && invoice.CondicionIVAReceptorId == nil && strings.HasSuffix(f.Pointer, "/"+fill.Member)
}

// newlyRefused is for how long a rule counts as new after its first day: a client that has lost an answer
// asks again sooner.
const newlyRefused = 31 * 24 * time.Hour

// isNewlyRefused reports whether a rule refuses since not so long ago.
func isNewlyRefused(f validate.Finding, now time.Time) bool {
	return slices.ContainsFunc(rules.Changes(), func(c rules.Change) bool {
		day, ok := c.Day.Time()
		return ok && c.Code == f.Number() && !now.Before(day) && now.Sub(day) < newlyRefused
	})
}
