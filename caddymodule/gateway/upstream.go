package gateway

import (
	"bytes"
	"net/http"

	"github.com/fielato/fielato/caddymodule/binding"
	"github.com/fielato/fielato/caddymodule/outcome"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
)

// The service may speak SOAP. Its transport returns the answer in JSON, and what it has sent and
// got beside it, as a binding.UpstreamLeg: what the answer means for the request, the typed answer,
// and the bytes for the record.

// readAnswer returns the typed answer, and where it deviates from its shape.
func (x *exchange) readAnswer() (typed any, deviations []validate.Finding) {
	leg := x.answeredLeg()
	switch {
	case leg == nil:
	case leg.Read == binding.LegUnread:
		return x.in.operation.NewAnswer(), []validate.Finding{{
			Code: codeNoSOAP, Severity: validate.OBS, Invoice: validate.Header,
			Text: "La respuesta no es un mensaje SOAP de la operación.", Source: "docs/sources.md#soap",
		}}
	case leg.Read == binding.LegAnswered:
		return leg.Typed, nil
	}
	typed, shape := x.in.operation.NewAnswer(), x.in.operation.Answer
	if x.reply.Status != http.StatusOK {
		typed, shape = new(wsfev1.ErrorBody), wsfev1.ErrorBodyShape
	}
	return typed, validate.DecodeAnswer(shape, x.reply.Body, typed)
}

// codeNoSOAP is the finding's code of an answer that is no message in SOAP.
const codeNoSOAP = "answer.syntax"

// answeredLeg returns the leg of an upstream that speaks SOAP if the answer is that of the leg: a
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
// and is what the exchange answers.
func (x *exchange) passedOn() *binding.UpstreamLeg {
	leg := x.answeredLeg()
	if leg == nil || leg.Read == binding.LegUnread || !leg.UTF8 || leg.Version != x.call.Version || x.outcome == outcome.Recovered {
		return nil
	}
	return leg
}
