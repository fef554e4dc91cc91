package gateway

import (
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/binding"
	"github.com/fielato/fielato/caddymodule/internal/fill"
	"github.com/fielato/fielato/internal/once"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/validate/rules"
	"github.com/fielato/fielato/wsfev1"
)

// The operator may declare what invoices get that lack CondicionIVAReceptorId (option fill). The service
// gets the completed request, the rules judge it, and recovery compares with it: the intent holds it,
// for the process that settles it after a crash. The client's own request stays as it came, and with it
// its fingerprint, its record and its repeats. So a repeat is answered as before, also after the
// operator has declared something else.

// filledHeader is the header of an answer to a request that was sent completed: the member, and how
// many invoices got it by which rule.
const filledHeader = "Wsfev1-Filled"

// fill completes the request by the option fill.
func (x *exchange) fill() bool {
	completed := x.gateway.filler.Fill(x.in.request)
	if completed == nil {
		return true
	}
	x.find(completed.Findings, func(validate.Finding) validate.Action { return validate.ActionObserve })
	if completed.Request == nil {
		return true
	}
	body, err := completed.Document(x.in.body)
	if err != nil {
		return x.refuse(binding.InternalUnsent(err))
	}
	x.out.request, x.out.body, x.out.filled = completed.Request, body, completed
	return true
}

// mayHavePassed reports whether a request is refused only for what may not have refused it when it came
// first: for a member that it lacks and that was filled in, as the operator has declared something else
// since; or by a rule that has just come into force. It is refused once it is known to be no repeat: a
// client without its answer must get the CAE that it has.
func (x *exchange) mayHavePassed(refusing []validate.Finding) bool {
	return x.gateway.policy.replay && x.in.operation.Effect == wsfev1.EffectChanges &&
		!slices.ContainsFunc(refusing, func(f validate.Finding) bool { return !x.lacksFilled(f) && !isNewlyRefused(f, x.judged) })
}

// lacksFilled reports whether a finding is about a member that the invoice lacks, and that may have been
// filled in.
func (x *exchange) lacksFilled(f validate.Finding) bool {
	if x.gateway.filler == nil {
		return false
	}
	invoice := wsfev1.LotOf(x.in.request.Body).Invoice(f.Invoice)
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

// forgetFilled drops the findings about what was filled in, or lacks: the exchange has the answer to an
// earlier one, and refuses and sends nothing.
func (x *exchange) forgetFilled() {
	lacking := len(x.seq.lacking) > 0
	x.findings = slices.DeleteFunc(x.findings, func(f validate.Finding) bool {
		return fill.IsCode(f.Code) || lacking && f.Action == validate.ActionRefuse
	})
}

// forgiveFilled lets a question not compare what was filled in. The request may have been sent before
// with another value, if the operator has declared something else since.
func forgiveFilled(pending *once.Pending) {
	pending.Redacted = map[string]bool{fill.Member: true}
}

// filledLeg returns the service's side of an intent, nil if it gets what came. Its form on the wire is
// not known yet.
func (x *exchange) filledLeg() *audit.Leg {
	if x.out.filled == nil {
		return nil
	}
	return x.completedLeg()
}

// addFilled adds the header about what was filled in, if it was sent.
func (x *exchange) addFilled() {
	if x.out.filled != nil && x.sent.certainty != audit.NotSent {
		x.w.Header().Set(filledHeader, x.out.filled.String())
	}
}

var errFillsBase = errors.New("fill needs contract arca: in contract base invoices have no " + fill.Member)

// provisionFill reads the source of the values to fill in.
func (g *Gateway) provisionFill() (err error) {
	if g.Fill == nil {
		return nil
	}
	if g.Contract == string(validate.Base) {
		return errFillsBase
	}
	g.filler, err = g.Fill.source()
	return err
}
