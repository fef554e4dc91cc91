package caddymodule

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"go.uber.org/zap"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/once"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
)

// recover asks what became of a request when nobody knows.
func (x *exchange) recover() {
	if x.gateway.Recover == optionOff || !x.intended || x.turn == nil || x.certainty != audit.Unknown && x.outcome != outcomeUpstreamError {
		return
	}
	began, answered := x.gateway.now(), x.fault == nil
	pending := once.PendingOf(x.sent, x.id, x.intent, began)
	lost, said := x.howLost()
	settlement := x.turn.Recover(x.detached(), pending, x.service)
	observeRecovery(settlement.Verdict, x.gateway.now().Sub(began))
	// What an answer said that is not the operation's is not what was done.
	x.verdict, x.answerWellFormed = wsfev1.Verdict{}, false
	switch settlement.Verdict {
	case once.Recovered, once.Different:
		x.adopt(settlement, pending)
	case once.NotIssued:
		x.fault, x.certainty = notIssued(answered), audit.Answered
	default:
		x.fault, x.certainty = unanswered(audit.Unknown, x.operation.Effect, x.repeatable(), settlement.Err), audit.Unknown
		if !errors.Is(settlement.Err, once.ErrNoQuestion) {
			x.pending = pending
		}
	}
	x.lost, x.lostAnswer = lost, said
}

// maxLostAnswer bounds what is kept of an answer that was of no use, in bytes.
const maxLostAnswer = 64 << 10

// howLost says how the answer was lost, and what it said if that may be kept: it is all that
// tells of a broken proxy or a wrong path, and the client is not given it.
func (x *exchange) howLost() (how, said string) {
	if x.fault != nil {
		return x.detail(), ""
	}
	how = fmt.Sprintf("the upstream's answer is not the operation's: status %d, %s", x.reply.status, x.reply.form())
	if kept, ok := x.redact(x.reply.body, false); ok && len(kept) <= maxLostAnswer {
		return how, string(kept)
	}
	return how, ""
}

// adopt answers with what the service has.
func (x *exchange) adopt(settlement *once.Settlement, pending *once.Pending) {
	answer := settlement.Answer(pending, x.judged)
	made, err := jsonReply(http.StatusOK, answer)
	if err != nil {
		x.fault = internal(err)
		return
	}
	x.fault, x.reply, x.verdict, x.answerWellFormed = nil, made, wsfev1.VerdictOf(answer), true
	x.certainty, x.outcome = audit.Answered, outcomeRecovered
	if settlement.Verdict == once.Different {
		if x.verdict.Resultado == wsfev1.Rechazado {
			x.outcome = outcomeRejected // else the beginning of the lot was issued
		}
		x.find(differing(settlement, pending.Operation), func(validate.Finding) validate.Action { return validate.ActionObserve })
	}
}

func differing(s *once.Settlement, operation *wsfev1.Operation) []validate.Finding {
	var all []validate.Finding
	for _, d := range s.Differences {
		all = append(all, validate.Finding{
			Code: strconv.Itoa(int(operation.SequenceCode())), Severity: validate.SEQ, Pointer: "/" + d.Field, Invoice: s.Differing,
			Text: "El número pertenece a otro comprobante.", Expected: d.Kept, Got: d.Sent, Source: "domain.md §5.4",
		})
	}
	return all
}

// reportSettled tells of what was settled after the client was gone.
func reportSettled(p *once.Pending, s *once.Settlement, index uint64) {
	observeRecovery(s.Verdict, 0)
	trailLogger().Info("an unknown outcome is settled", zap.String("operation", p.Operation.Name),
		zap.String("exchange", p.ID), zap.String("verdict", string(s.Verdict)), zap.Uint64("record", index))
}
