package exchange

import (
	"errors"

	"go.uber.org/zap"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/binding"
	"github.com/fielato/fielato/caddymodule/internal/intake"
	"github.com/fielato/fielato/wsfev1/soap"
)

// take takes the request in, and ends the exchange if the decision does.
func (x *exchange) take() bool {
	x.way.Announce(x.Effective)
	d := x.way.Book.Take(x.w, x.r, intake.Arrival{
		Form: x.Form, Redactor: x.Redactor, Sender: x.Sender, At: x.Effective, Step: x.spans.Steps(),
		Admission: binding.Admission{Contract: x.way.Book.Contract, MaxBody: x.way.MaxBody, Reservation: &x.memory.body},
	})
	x.r = d.HTTP
	return x.decided(d)
}

// decided takes over a decision, and reports whether the exchange goes on.
func (x *exchange) decided(d *intake.Decision) bool {
	x.Decision, x.Findings = d, d.Findings
	x.Hide(d.Credentials...)
	if d.Body != nil {
		x.Mask.Collect(d.Body, d.WellFormed)
	}
	switch {
	case d.Refusal != nil:
		return x.Result.Refuse(d.Refusal)
	case d.Answer != nil:
		x.Result.Compose(d.Answer)
		if !d.WellFormed {
			x.Result.Outcome = audit.OutcomeMalformed
		}
		return false
	}
	return true
}

// serverInfo is who answers, in the header of an answer in SOAP, which the service's own has.
const serverInfo = "Fielato"

// composeReply turns a refusal into the reply that the client gets, and the reply into its form.
func (x *exchange) composeReply() {
	var unwritten error
	if x.Result.Refusal != nil {
		x.Result.Reply, unwritten = x.Result.Refusal.Reply()
		x.Result.Outcome, x.Result.WellFormed = x.Result.Refusal.Outcome, false
	}
	x.Result.Passed = x.PassedOn()
	answer := intake.Answer{
		Operation: x.Decision.Operation, Refusal: x.Result.Refusal, Reply: x.Result.Reply,
		Typed: x.TypedReply(), Foreign: x.Result.Outcome == audit.OutcomeUpstreamError, Passed: x.Result.Passed,
	}
	if x.Form.Message() != nil {
		answer.Info = soap.InfoAt(serverInfo, x.way.Effective(x.way.Now()), x.ID)
	}
	_, unformed := x.Form.Answer(answer)
	if err := errors.Join(unwritten, unformed); err != nil {
		x.way.Logger.Error("composing an answer", x.Field(), zap.Error(err))
	}
}
