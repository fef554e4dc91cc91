package gateway

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/binding"
	"github.com/fielato/fielato/caddymodule/internal/intake"
	"github.com/fielato/fielato/caddymodule/internal/outcome"
	"github.com/fielato/fielato/caddymodule/internal/trail"
	"github.com/fielato/fielato/internal/once"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
)

// recover queries the service about a request whose outcome is unknown.
func (x *exchange) recover() {
	if !x.gateway.policy.recover || !x.rec.intended || x.seq.turn == nil {
		return
	}
	began, answered, refuses := x.gateway.now(), x.refusal == nil, x.sent.Refuses()
	disputable, denied := x.isDisputable()
	if !disputable && x.sent.Certainty != audit.Unknown && x.outcome != audit.OutcomeUpstreamError {
		return
	}
	x.spans.Enter("recover")
	pending := x.pendingSince(began)
	if disputable || refuses && x.answer.reading.Ended {
		pending.Since = time.Time{} // the service has answered: it is not working on it
	}
	if x.in.Completed != nil && (denied || !disputable && x.wasDenied()) {
		forgiveFilled(pending)
	}
	lost, said := x.howLost()
	settle := x.seq.turn.Recover
	if disputable && !denied {
		settle = x.seq.turn.Check
	}
	settlement := settle(x.detached(), pending, x.seq.service)
	if disputable && (settlement.Verdict == once.Different || settlement.Verdict == once.NotIssued || settlement.Verdict == once.Undecided && !denied) {
		return // the service is right
	}
	trail.ObserveRecovery(settlement.Verdict, x.gateway.now().Sub(began))
	if refuses && settlement.Verdict == once.NotIssued {
		x.outcome, x.rec.lost, x.rec.lostAnswer = audit.OutcomeNotIssued, lost, said // it is true: the client gets it
		return
	}
	// The verdict of an unusable answer is not the result.
	x.answer.verdict, x.answer.wellFormed, x.answer.reading = wsfev1.Verdict{}, false, outcome.Reading{}
	switch settlement.Verdict {
	case once.Recovered, once.Different:
		x.takeOver(settlement, pending)
	case once.NotIssued:
		x.refusal, x.sent.Certainty = binding.NotIssued(answered), audit.Answered
	default:
		x.refusal, x.sent.Certainty = x.undecided(settlement.Err), audit.Unknown
		if !errors.Is(settlement.Err, once.ErrNoQuestion) {
			x.seq.pending = pending
		}
	}
	x.rec.lost, x.rec.lostAnswer = lost, said
}

// undecided refuses a request whose outcome the queries have not shown.
func (x *exchange) undecided(err error) *binding.Refusal {
	if x.refusal == nil && x.reply.IsAnotherProgram() && errors.Is(err, once.ErrAnotherProgram) {
		return binding.AnotherProgram(x.reply, x.repeatable(), err)
	}
	return binding.Unanswered(audit.Unknown, x.in.Operation.Effect, x.repeatable(), err)
}

// pendingSince returns the sent request as one with an unknown outcome.
func (x *exchange) pendingSince(lost time.Time) *once.Pending {
	pending := once.PendingOf(x.seq.request, x.id, x.rec.intent, lost)
	if x.rec.owedIntent != nil {
		pending.Owed = x.rec.owedIntent
	}
	return pending
}

// isDisputable reports whether the service rejects the number of the request, or rejects it without a
// reason, and this is to be checked. The request itself may have taken the number: something on the way may
// have sent it twice, or the service has carried it out after it had said that it had nothing (denied). A
// client that gets the rejection would use the next number, and issue the invoice twice. Without replay
// the service answers repeats, and its rejection of one is right.
func (x *exchange) isDisputable() (disputable, denied bool) {
	if x.outcome != audit.OutcomeRejected || !x.answer.reading.Checked {
		return false, false
	}
	denied = x.wasDenied()
	return denied || x.gateway.policy.replay, denied
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
	switch {
	case x.sent.Refuses():
		how = fmt.Sprintf("the upstream's answer, status %d, %s, says that nothing was carried out, and does not prove it", x.reply.Status, x.reply.Form())
	case x.outcome == audit.OutcomeRejected:
		how = "the upstream rejects the request, and may have carried it out before"
	}
	if kept, ok := x.redact(x.reply.Body, false); ok && len(kept) <= maxLostAnswer {
		return how, string(kept)
	}
	return how, ""
}

// takeOver answers from the settlement, with the service's own result.
func (x *exchange) takeOver(settlement *once.Settlement, pending *once.Pending) {
	answer := settlement.Answer(pending, x.judged)
	made, err := binding.JSON(http.StatusOK, answer)
	if err != nil {
		x.refusal = binding.Internal(err)
		return
	}
	x.refusal, x.reply, x.answer.verdict, x.answer.wellFormed = nil, made, wsfev1.VerdictOf(answer), true
	x.sent.Certainty, x.outcome = audit.Answered, audit.OutcomeRecovered
	if settlement.Verdict == once.Different {
		if x.answer.verdict.Resultado == wsfev1.Rechazado {
			x.outcome = audit.OutcomeRejected // else the beginning of the lot was issued
		}
		x.find(differing(settlement, pending), intake.Observe)
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
