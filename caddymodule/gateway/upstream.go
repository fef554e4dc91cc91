package gateway

import (
	"bytes"
	"crypto/sha256"
	"net/http"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/binding"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
)

// The service may speak SOAP. Its transport returns the answer in JSON, and describes the messages
// that it sent and got in a binding.UpstreamLeg: the answer's meaning for the request, the typed
// answer, and the bytes for the record.

// readAnswer returns the typed answer, and where it deviates from its shape.
func (x *exchange) readAnswer() (typed any, deviations []validate.Finding) {
	leg := x.answeredLeg()
	switch {
	case leg == nil:
	case leg.Read == binding.LegUnread:
		return x.in.Operation.NewAnswer(), []validate.Finding{{
			Code: codeNoSOAP, Severity: validate.OBS, Invoice: validate.Header,
			Text: "La respuesta no es un mensaje SOAP de la operación.", Source: "docs/sources.md#soap",
		}}
	case leg.Read == binding.LegAnswered:
		return leg.Typed, nil
	}
	typed, shape := x.in.Operation.NewAnswer(), x.in.Operation.Answer
	if x.reply.Status != http.StatusOK {
		typed, shape = new(wsfev1.ErrorBody), wsfev1.ErrorBodyShape
	}
	return typed, validate.DecodeAnswer(shape, x.reply.Body, typed)
}

// codeNoSOAP is the finding's code of an answer that is no message in SOAP.
const codeNoSOAP = "answer.syntax"

// answeredLeg returns the leg of an upstream that speaks SOAP if the answer comes from the leg: a
// handler in between may have replaced it.
func (x *exchange) answeredLeg() *binding.UpstreamLeg {
	leg := x.sent.leg
	if leg == nil || leg.Read != binding.LegUnread && !bytes.Equal(leg.JSON, x.reply.Body) {
		return nil
	}
	return leg
}

// isRefusedBySOAP reports whether a service that speaks SOAP has refused the message itself:
// nothing was begun.
func (x *exchange) isRefusedBySOAP() bool {
	leg := x.answeredLeg()
	return leg != nil && leg.Read == binding.LegRefused
}

// passedOn returns the leg whose answer the client gets byte for byte: it is in the client's form,
// and the exchange answers with it.
func (x *exchange) passedOn() *binding.UpstreamLeg {
	leg := x.answeredLeg()
	if leg == nil || x.refusal != nil || !x.form.Passes(leg) || x.outcome == audit.OutcomeRecovered ||
		x.echoes(leg.Answer, leg.AnswerCharset) {
		return nil
	}
	return leg
}

// serviceLeg returns the service's side of the exchange as it is recorded, nil if it is the exchange
// itself. A body that is the client's own is kept in the client's leg alone.
func (x *exchange) serviceLeg(client *audit.Leg) *audit.Leg {
	sent := x.sent.leg
	if sent == nil && x.out.request != nil && x.sent.certainty != audit.NotSent {
		return x.completedLeg()
	}
	if sent == nil || x.sent.certainty == audit.NotSent && sent.Answer == nil {
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
		if x.out.ticket != nil && x.out.mask.holds(string(l.Answer)) {
			l.Answer = nil // in a form that the mask does not look through
		}
	}
	return l
}

// completedLeg is serviceLeg for a service that speaks JSON, and got a completed request.
func (x *exchange) completedLeg() *audit.Leg {
	l := &audit.Leg{
		Form: audit.FormJSON, RequestLength: int64(len(x.out.body)), RequestDigest: x.mask.Digest(sha256.Sum256(x.out.body)),
	}
	l.Request, _ = x.redact(x.out.body, true)
	return l
}
