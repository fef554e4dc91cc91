package gateway

import (
	"crypto/sha256"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/binding"
)

// passedOn returns the leg whose answer the client gets byte for byte: it is in the client's form,
// and the exchange answers with it.
func (x *exchange) passedOn() *binding.UpstreamLeg {
	leg := x.sent.AnsweredLeg(x.reply.Body)
	if leg == nil || x.refusal != nil || !x.form.Passes(leg) || x.outcome == audit.OutcomeRecovered ||
		x.ticket.Echoed(leg.Answer, leg.AnswerCharset, x.credentials...) {
		return nil
	}
	return leg
}

// serviceLeg returns the service's side of the exchange as it is recorded, nil if it is the exchange
// itself. A body that is the client's own is kept in the client's leg alone.
func (x *exchange) serviceLeg(client *audit.Leg) *audit.Leg {
	sent := x.sent.Leg
	if sent == nil && x.isCompleted() && x.sent.Certainty != audit.NotSent {
		return x.completedLeg()
	}
	if sent == nil || x.sent.Certainty == audit.NotSent && sent.Answer == nil {
		return nil
	}
	l := &audit.Leg{
		Form: binding.FormOf(sent.Sent), RequestType: sent.Sent.MediaType(),
		RequestLength: int64(len(sent.Request)), RequestDigest: x.mask.Digest(sha256.Sum256(sent.Request)),
	}
	if client == nil || client.RequestDigest != l.RequestDigest {
		l.Request, _ = x.mask.XML(sent.Request, "utf-8", true, x.credentials...)
	}
	if sent.Answer == nil {
		return l
	}
	l.AnswerLength, l.AnswerDigest = int64(len(sent.Answer)), x.mask.Digest(sha256.Sum256(sent.Answer))
	if client == nil || client.AnswerDigest != l.AnswerDigest {
		l.Answer, _ = x.mask.XML(sent.Answer, sent.AnswerCharset, false, x.credentials...)
		if x.ticket.In(string(l.Answer)) {
			l.Answer = nil // in a form that the mask does not look through
		}
	}
	return l
}

// completedLeg is serviceLeg for a service that speaks JSON, and got a completed request.
func (x *exchange) completedLeg() *audit.Leg {
	_, document := x.sentRequest()
	l := &audit.Leg{
		Form: audit.FormJSON, RequestLength: int64(len(document)), RequestDigest: x.mask.Digest(sha256.Sum256(document)),
	}
	l.Request, _ = x.redact(document, true)
	return l
}
