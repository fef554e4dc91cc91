package gateway

import (
	"cmp"
	"crypto/sha256"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/binding"
	"github.com/fielato/fielato/internal/once"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
)

// idempotencyHeader is the header of the IETF draft draft-ietf-httpapi-idempotency-key-header.
const idempotencyHeader = "Idempotency-Key"

// setFingerprint sets the fingerprint of the request as it came. A repeat has the same, whatever would
// be filled in by now.
func (x *exchange) setFingerprint() { x.marks.fingerprint = x.fingerprintOf(x.in.Request.Body) }

func (x *exchange) fingerprintOf(body any) [16]byte {
	return x.trail.Redactor.Mark([]byte(x.in.Operation.Name), once.AppendCanonical(make([]byte, 0, len(x.in.Body)), body))
}

// olderFingerprints returns how the store may have the fingerprints of these bodies from earlier builds,
// nil where it cannot. They are made when they are needed first.
func (x *exchange) olderFingerprints(bodies ...any) func() [][16]byte {
	if !x.trail.Forms.HasOlder() {
		return nil
	}
	name, redactor, forms := []byte(x.in.Operation.Name), x.trail.Redactor, x.trail.Forms
	return sync.OnceValue(func() (all [][16]byte) {
		for _, body := range bodies {
			for _, text := range forms.AppendOlder(nil, body) {
				all = append(all, redactor.Mark(name, text))
			}
		}
		return all
	})
}

// takeTurn waits for the turn of an operation that changes something: requests of a series are
// sent one at a time. A repeat is answered as before.
func (x *exchange) takeTurn() bool {
	if x.in.Operation.Effect != wsfev1.EffectChanges {
		return true
	}
	request, f := x.onceRequest()
	if f != nil {
		return x.refuse(f)
	}
	if f := x.failFast(request); f != nil {
		return x.refuse(f)
	}
	x.seq.request, x.seq.service = request, x.serviceClient()
	return x.waitForTurn()
}

// waitForTurn waits for the turn.
func (x *exchange) waitForTurn() bool {
	turn, err := x.trail.Coordinator.Enter(x.r.Context(), x.seq.request, x.seq.service)
	if err != nil {
		return x.refuse(binding.NoTurn(x.seq.request, err))
	}
	x.seq.turn = turn
	if turn.WithoutJournal != nil {
		x.alarm("the trail cannot be asked what was sent before", turn.WithoutJournal)
	}
	if turn.Repeat != nil {
		return x.replay(turn.Repeat)
	}
	return x.checkSequence()
}

func (x *exchange) onceRequest() (*once.Request, *binding.Refusal) {
	x.setFingerprint()
	sent, _ := x.sentRequest()
	key, _ := once.KeyOf(x.in.Operation, sent.Body)
	request := &once.Request{
		Operation: x.in.Operation, Body: sent.Body, Key: key, Fingerprint: x.marks.fingerprint, TraceID: x.trace, Policy: x.gateway.policy.once,
		OlderFingerprints: x.olderFingerprints(x.in.Request.Body),
	}
	if x.in.Completed != nil {
		x.marks.sent = x.fingerprintOf(sent.Body)
		request.SentFingerprint, request.OlderFingerprints = x.marks.sent, x.olderFingerprints(x.in.Request.Body, sent.Body)
	}
	keys := x.r.Header.Values(idempotencyHeader)
	if len(keys) > 1 {
		return nil, binding.ManyIdempotencyKeys()
	}
	if text := strings.Join(keys, ""); text != "" {
		if len(text) > binding.MaxIdempotencyKey {
			return nil, binding.BadIdempotencyKey()
		}
		request.IdempotencyKey = x.trail.Redactor.Mark([]byte(idempotencyHeader), []byte(key.Cuit.String()), []byte(text))
		x.marks.idempotencyKey = request.IdempotencyKey
	}
	return request, nil
}

// sharedReply is a reply that other clients may get too.
type sharedReply struct {
	reply binding.Reply
	// origin is the address of its record, caller the mark of the credentials.
	origin string
	caller [16]byte
}

// replay answers a repeat as before.
func (x *exchange) replay(result *once.Result) bool {
	switch entitled, err := x.entitled(result); {
	case err != nil:
		return x.refuse(binding.Unproven(err))
	case !entitled && result.Shared:
		// The service decides; but in a turn of its own, or two would be sent at a time.
		x.seq.request.Policy.NoReplay = true
		return x.waitForTurn()
	case !entitled:
		return x.checkSequence()
	}
	if first, ok := result.Reply.(sharedReply); ok {
		x.reply, x.seq.origin = first.reply, first.origin
	} else if !x.replyFrom(result.Kept) {
		x.seq.origin = ""
		return x.checkSequence()
	}
	x.seq.repeated = true
	x.findings = x.in.WithoutFilled(x.findings)
	typed := x.in.Operation.NewAnswer()
	if len(validate.DecodeAnswer(x.in.Operation.Answer, x.reply.Body, typed)) == 0 {
		x.answer.verdict, x.answer.wellFormed = wsfev1.VerdictOf(typed), true
	}
	x.outcome = audit.OutcomeReplayed
	return false
}

// replyFrom makes the answer of a kept exchange: its very bytes, or as much as is left
// where retention or redaction has taken something away. It reports false where that is
// nothing.
func (x *exchange) replyFrom(kept *once.Kept) bool {
	r := kept.Record
	if x.seq.origin = ""; r.Log != "" { // else it is owed, and has no place yet
		x.seq.origin = r.Address()
	}
	if len(r.Answer) > 0 && sha256.Sum256(r.Answer) == r.AnswerDigest {
		x.reply = binding.Reply{Status: cmp.Or(r.Status, http.StatusOK), Header: http.Header{"Content-Type": {"application/json"}}, Body: r.Answer}
		return true
	}
	answer := kept.Answer(x.in.Request.Body)
	if answer == nil {
		return false
	}
	var err error
	x.reply, err = binding.JSON(http.StatusOK, answer)
	return err == nil
}

// abandonTurn leaves the turn after a panic of the gateway. The outcome of a forwarded request
// is then unknown.
func (x *exchange) abandonTurn() {
	if x.seq.turn == nil {
		return
	}
	result := once.Result{State: once.NotSent}
	if x.sent.Forwarded && x.rec.intended && x.gateway.policy.recover {
		result.State, result.Pending = once.Unknown, x.pendingSince(x.gateway.now())
		result.Pending.NoOutcome = !x.rec.done
		x.seq.service.detach()
	}
	x.seq.turn.Leave(result)
}

// leaveTurn lets the next request of the series go. It is called when the record is durable, or
// in the backlog.
func (x *exchange) leaveTurn() {
	if x.seq.turn == nil {
		return
	}
	turn := x.seq.turn
	result := once.Result{}
	if !slices.ContainsFunc(x.answer.verdict.Codes, isAboutCredentials) {
		// A refusal of one client's credentials must not be shared.
		shared := sharedReply{reply: x.reply, caller: x.credentialMark(), origin: x.seq.origin}
		if x.refusal == nil {
			shared.reply = x.reply.ForOthers()
		}
		if x.rec.durable && !x.seq.repeated {
			shared.origin = x.address()
		}
		result.Reply, result.Size = shared, len(x.reply.Body)
	}
	switch x.outcome {
	case audit.OutcomeApproved, audit.OutcomeObserved, audit.OutcomePartial, audit.OutcomeRecovered:
		result.State = once.Approved
	case audit.OutcomeReplayed:
		result.State = turn.Repeat.State
	case audit.OutcomeUnknown:
		result.State, result.Pending = once.Unknown, x.seq.pending
		x.seq.service.detach() // it goes on in the background
	case audit.OutcomeRejected, audit.OutcomeNotIssued:
		result.State = once.Rejected
	}
	for _, v := range x.answer.verdict.Invoices {
		if v.Resultado == wsfev1.Aprobado {
			result.Last = max(result.Last, v.CbteHasta)
		}
	}
	x.seq.turn = nil
	turn.Leave(result)
}

// resumeOpen settles open requests of the issuer, now that there are credentials which the
// service has accepted.
func (x *exchange) resumeOpen() {
	if x.internal || !x.gateway.policy.recover || !x.credentialsTaken() {
		return
	}
	if cuit := x.in.Subject.Cuit; x.trail.Coordinator.Needs(cuit) {
		x.trail.Coordinator.Meet(cuit, x.serviceClient().detach(), x.gateway.policy.once)
	}
}
