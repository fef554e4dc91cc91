package gateway

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/binding"
	"github.com/fielato/fielato/caddymodule/outcome"
	"github.com/fielato/fielato/caddymodule/trail"
	"github.com/fielato/fielato/once"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
)

// recover queries the service about a request whose outcome is unknown.
func (x *exchange) recover() {
	if !x.gateway.policy.recover || !x.rec.intended || x.seq.turn == nil {
		return
	}
	began, answered, late := x.gateway.now(), x.refusal == nil, x.mayBeLate()
	if !late && x.sent.certainty != audit.Unknown && x.outcome != outcome.UpstreamError {
		return
	}
	x.enter("recover")
	pending := x.pendingSince(began)
	if late {
		pending.Since = time.Time{} // the service has answered: it is not working on it
	}
	if x.out.filled != nil && (late || x.wasDenied()) {
		forgiveFilled(pending)
	}
	lost, said := x.howLost()
	settlement := x.seq.turn.Recover(x.detached(), pending, x.seq.service)
	if late && (settlement.Verdict == once.Different || settlement.Verdict == once.NotIssued) {
		return // the service is right
	}
	trail.ObserveRecovery(settlement.Verdict, x.gateway.now().Sub(began))
	// The verdict of an unusable answer is not the result.
	x.answer.verdict, x.answer.wellFormed = wsfev1.Verdict{}, false
	switch settlement.Verdict {
	case once.Recovered, once.Different:
		x.takeOver(settlement, pending)
	case once.NotIssued:
		x.refusal, x.sent.certainty = binding.NotIssued(answered), audit.Answered
	default:
		x.refusal, x.sent.certainty = x.undecided(settlement.Err), audit.Unknown
		if !errors.Is(settlement.Err, once.ErrNoQuestion) {
			x.seq.pending = pending
		}
	}
	x.seq.lost, x.seq.lostAnswer = lost, said
}

// undecided refuses a request whose outcome the queries have not shown.
func (x *exchange) undecided(err error) *binding.Refusal {
	if x.refusal == nil && x.reply.IsAnotherProgram() && errors.Is(err, once.ErrAnotherProgram) {
		return binding.AnotherProgram(x.reply, x.repeatable(), err)
	}
	return binding.Unanswered(audit.Unknown, x.in.operation.Effect, x.repeatable(), err)
}

// pendingSince returns the sent request as one with an unknown outcome.
func (x *exchange) pendingSince(lost time.Time) *once.Pending {
	pending := once.PendingOf(x.seq.request, x.id, x.rec.intent, lost)
	if x.rec.owedIntent != nil {
		pending.Owed = x.rec.owedIntent
	}
	return pending
}

// numberTakenCodes are the codes of a number that is not the next one (docs/sources.md#severities).
var numberTakenCodes = []int32{10016, 703}

// mayBeLate reports whether the service rejects the number of a request that was sent before
// and, according to a query, not carried out: it may have been carried out after that query. A
// client that gets the rejection would use the next number, and issue the invoice twice.
func (x *exchange) mayBeLate() bool {
	if x.outcome != outcome.Rejected || !slices.ContainsFunc(x.answer.verdict.Codes, func(code int32) bool { return slices.Contains(numberTakenCodes, code) }) {
		return false
	}
	return x.wasDenied()
}

// wasDenied reports whether the same request was sent before and, by the service's answer to a query,
// not carried out.
func (x *exchange) wasDenied() bool {
	denied, err := x.seq.turn.Denied(x.detached())
	if err != nil {
		x.alarm("the trail cannot be asked what was sent before", err)
	}
	return denied
}

// maxLostAnswer is the maximum size in bytes of a recorded unusable answer.
const maxLostAnswer = 64 << 10

// howLost returns how the answer was lost, and its text if that may be recorded. Only the
// record shows a broken proxy or a wrong path: the client does not get the answer.
func (x *exchange) howLost() (how, said string) {
	if x.refusal != nil {
		return x.detail(), ""
	}
	how = fmt.Sprintf("the upstream's answer is not the operation's: status %d, %s", x.reply.Status, x.reply.Form())
	if x.outcome == outcome.Rejected {
		how = "the upstream rejects the number of a request of which it had said to have nothing"
	}
	if kept, ok := x.redact(x.reply.Body, false); ok && len(kept) <= maxLostAnswer {
		return how, string(kept)
	}
	return how, ""
}

// takeOver answers with what the service has issued.
func (x *exchange) takeOver(settlement *once.Settlement, pending *once.Pending) {
	answer := settlement.Answer(pending, x.judged)
	made, err := binding.JSON(http.StatusOK, answer)
	if err != nil {
		x.refusal = binding.Internal(err)
		return
	}
	x.refusal, x.reply, x.answer.verdict, x.answer.wellFormed = nil, made, wsfev1.VerdictOf(answer), true
	x.sent.certainty, x.outcome = audit.Answered, outcome.Recovered
	if settlement.Verdict == once.Different {
		if x.answer.verdict.Resultado == wsfev1.Rechazado {
			x.outcome = outcome.Rejected // else the beginning of the lot was issued
		}
		x.find(differing(settlement, pending), func(validate.Finding) validate.Action { return validate.ActionObserve })
	}
}

func differing(s *once.Settlement, p *once.Pending) []validate.Finding {
	var all []validate.Finding
	for _, d := range s.Differences {
		all = append(all, validate.Finding{
			Code: strconv.Itoa(int(p.Operation.SequenceCode())), Severity: validate.SEQ, Pointer: p.Pointer(s, d), Invoice: s.Differing,
			Text: "El número pertenece a otro comprobante.", Expected: d.Kept, Got: d.Sent, Source: "docs/sources.md#recovery",
		})
	}
	return all
}
