package caddymodule

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"go.uber.org/zap"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/once"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
)

// idempotencyHeader is that of the IETF draft (draft-ietf-httpapi-idempotency-key-header).
const idempotencyHeader = "Idempotency-Key"

// maxIdempotencyKey bounds the header's length in bytes.
const maxIdempotencyKey = 255

// mark fingerprints what is asked for: a repeat has the same.
func (x *exchange) mark() {
	canonical := once.AppendCanonical(make([]byte, 0, len(x.body)), x.request.Body)
	x.fingerprint = x.trail.redactor.Mark([]byte(x.operation.Name), canonical)
}

// takeTurn comes before the intent of what changes something: one at a time in a series,
// and what was answered before is answered again.
func (x *exchange) takeTurn() bool {
	if x.operation.Effect != wsfev1.EffectChanges {
		return true
	}
	request, f := x.onceRequest()
	if f != nil {
		return x.refuse(f)
	}
	if f := x.spare(request); f != nil {
		return x.refuse(f)
	}
	x.sent, x.service = request, x.inquirer()
	return x.enter()
}

// enter waits for the turn.
func (x *exchange) enter() bool {
	turn, err := x.trail.keeper.Enter(x.r.Context(), x.sent, x.service)
	if err != nil {
		return x.refuse(noTurn(x.sent, err))
	}
	x.turn = turn
	if turn.Blind != nil {
		x.alarm("the trail cannot be asked what was sent before", turn.Blind)
	}
	if turn.Repeat != nil {
		return x.repeat(turn.Repeat)
	}
	return x.foresee()
}

func (x *exchange) onceRequest() (*once.Request, *fault) {
	x.mark()
	key, _ := once.KeyOf(x.operation, x.request.Body)
	request := &once.Request{
		Operation: x.operation, Body: x.request.Body, Key: key, Fingerprint: x.fingerprint, Terms: x.gateway.terms(),
	}
	if text := x.r.Header.Get(idempotencyHeader); text != "" {
		if len(text) > maxIdempotencyKey {
			return nil, badIdempotencyKey()
		}
		request.IdempotencyKey = x.trail.redactor.Mark([]byte(idempotencyHeader), []byte(key.Cuit.String()), []byte(text))
		x.idempotencyKey = request.IdempotencyKey
	}
	return request, nil
}

// given is a reply that others may be given too.
type given struct {
	reply reply
	// origin is the address of its record, caller the mark of the credentials.
	origin string
	caller [16]byte
}

// repeat answers what was answered before.
func (x *exchange) repeat(result *once.Result) bool {
	switch entitled, err := x.entitled(result); {
	case err != nil:
		return x.refuse(unproven(err))
	case !entitled && result.Shared:
		// The service tells; but only in a turn of its own, or two would be sent at a time.
		x.sent.Terms.NoReplay = true
		return x.enter()
	case !entitled:
		return x.foresee()
	}
	if first, ok := result.Reply.(given); ok {
		x.reply, x.origin = first.reply, first.origin
	} else if !x.replyFrom(result.Kept) {
		x.origin = ""
		return x.foresee()
	}
	x.repeated = true
	typed := x.operation.NewAnswer()
	if len(validate.DecodeAnswer(x.operation.Answer, x.reply.body, typed)) == 0 {
		x.verdict, x.answerWellFormed = wsfev1.VerdictOf(typed), true
	}
	x.outcome = outcomeReplayed
	return false
}

// replyFrom makes the answer of a kept exchange: its very bytes, or as much as is left
// where retention or redaction has taken something away. It reports false where that is
// nothing.
func (x *exchange) replyFrom(kept *once.Kept) bool {
	r := kept.Record
	x.origin = fmt.Sprintf("%s/%d", r.Log, r.Index)
	if len(r.Answer) > 0 && sha256.Sum256(r.Answer) == r.AnswerDigest {
		x.reply = reply{status: cmp.Or(r.Status, http.StatusOK), header: http.Header{"Content-Type": {"application/json"}}, body: r.Answer}
		return true
	}
	answer := kept.Answer(x.request.Body)
	if answer == nil {
		return false
	}
	var err error
	x.reply, err = jsonReply(http.StatusOK, answer)
	return err == nil
}

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
		x.find(differing(settlement), func(validate.Finding) validate.Action { return validate.ActionObserve })
	}
}

func differing(s *once.Settlement) []validate.Finding {
	var all []validate.Finding
	for _, d := range s.Differences {
		all = append(all, validate.Finding{
			Code: codeSequence, Severity: validate.SEQ, Pointer: "/" + d.Field, Invoice: s.Differing,
			Text: "El número pertenece a otro comprobante.", Expected: d.Kept, Got: d.Sent, Source: "domain.md §5.4",
		})
	}
	return all
}

// abandonTurn is for a panic of our own on the way: what left is then unknown.
func (x *exchange) abandonTurn() {
	if x.turn == nil {
		return
	}
	result := once.Result{State: once.NotSent}
	if x.forwarded && x.intended && x.gateway.Recover != optionOff {
		result.State, result.Pending = once.Unknown, once.PendingOf(x.sent, x.id, x.intent, x.gateway.now())
		result.Pending.Bare = !x.kept
		x.service.outlive()
	}
	x.turn.Leave(result)
}

// leaveTurn lets the next request of the series go. It comes when the record is durable,
// or owed.
func (x *exchange) leaveTurn() {
	if x.turn == nil {
		return
	}
	turn := x.turn
	x.turn = nil
	result := once.Result{}
	if !slices.ContainsFunc(x.verdict.Codes, isAboutCredentials) {
		// A refusal of one client's credentials is nobody else's answer.
		shared := given{reply: x.reply, caller: x.credentialMark(), origin: x.origin}
		if x.recorded && !x.repeated {
			shared.origin = x.address()
		}
		result.Reply, result.Size = shared, len(x.reply.body)
	}
	switch x.outcome {
	case outcomeApproved, outcomeObserved, outcomePartial, outcomeRecovered:
		result.State = once.Approved
	case outcomeReplayed:
		result.State = turn.Repeat.State
	case outcomeUnknown:
		result.State, result.Pending = once.Unknown, x.pending
		x.service.outlive() // it goes on in the background
	case outcomeRejected, outcomeNotIssued:
		result.State = once.Rejected
	}
	for _, v := range x.verdict.Invoices {
		if v.Resultado == wsfev1.Aprobado {
			result.Last = max(result.Last, v.CbteHasta)
		}
	}
	turn.Leave(result)
}

// meet lets the keeper settle what is open for the issuer, now that there are credentials
// which the service has taken.
func (x *exchange) meet() {
	if x.asking || x.gateway.Recover == optionOff || !x.taken() {
		return
	}
	if cuit := x.subject.Cuit; x.trail.keeper.Needs(cuit) {
		x.trail.keeper.Meet(cuit, x.inquirer().outlive())
	}
}

// reportSettled tells of what was settled after the client was gone.
func reportSettled(p *once.Pending, s *once.Settlement, index uint64) {
	observeRecovery(s.Verdict, 0)
	trailLogger().Info("an unknown outcome is settled", zap.String("operation", p.Operation.Name),
		zap.String("exchange", p.ID), zap.String("verdict", string(s.Verdict)), zap.Uint64("record", index))
}
