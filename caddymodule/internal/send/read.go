package send

import (
	"bytes"
	"fmt"
	"net/http"
	"slices"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/binding"
	"github.com/fielato/fielato/caddymodule/internal/intake"
	"github.com/fielato/fielato/caddymodule/internal/outcome"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
)

// The service may speak SOAP. Its transport returns the answer in JSON, and describes the messages
// that it sent and got in a binding.UpstreamLeg: the answer's meaning for the request, the typed
// answer, and the bytes for the record.

// read decodes and judges the answer. An answer that is not of the operation's shape gets findings, and is
// never held back. One to a query about something else is.
func (s *Sent) read(o *Outgoing, facts *binding.Wire) {
	leg := s.AnsweredLeg(s.Reply.Body)
	typed, deviations := s.decode(o, leg, facts)
	s.find(o, deviations)
	s.WellFormed = len(deviations) == 0
	s.Typed, s.Read, s.Verdict = typed, s.Reply.Body, wsfev1.VerdictOf(typed)
	understood := s.isUnderstood(o, leg, deviations)
	against := fit{asked: o.Asked.Body, subject: &o.Subject, verdict: &s.Verdict}
	if mismatch := against.mismatch(typed); understood && s.Reply.Status == http.StatusOK && mismatch != "" {
		understood = false
		s.find(o, []validate.Finding{{
			Code: outcome.CodeMismatch, Severity: validate.OBS, Pointer: mismatch, Invoice: validate.Header,
			Text: "La respuesta no corresponde a lo que se pidió.", Source: "docs/sources.md#contract",
		}})
		if !o.changes() {
			s.withhold()
			return
		}
	}
	s.Outcome = outcome.Of(o.Operation, s.Reply.Status, understood, s.Verdict)
	if o.changes() {
		s.weigh(o, leg, understood)
	}
	s.Failure = s.answerLoss()
	if s.Outcome == audit.OutcomeUpstreamError && !s.Refuses() && s.Reply.IsAnotherProgram() { // a proxy's 502 means silence
		s.Came = fmt.Sprintf("HTTP %d a %s", s.Reply.Status, o.Operation.Name)
	}
}

// isUnderstood reports whether the answer is one of the operation, and means the same to whoever reads it.
func (s *Sent) isUnderstood(o *Outgoing, leg *binding.UpstreamLeg, deviations []validate.Finding) bool {
	switch {
	case isRefused(leg):
		return false // it has no result
	case o.changes() && s.Leg == nil && isAmbiguous(deviations):
		return false // the client gets these bytes
	case outcome.DeclaresErrorBody(o.Operation, s.Reply.Status):
		// With any other body the request may have been carried out nevertheless.
		return s.WellFormed
	}
	return validate.IsReadable(deviations) && !isBare(s.Typed, deviations)
}

// weigh finds the proof in the answer to a request that changes something (outcome.Readings). If the answer
// proves nothing, the service is asked, and until then the answer counts as none of the operation.
func (s *Sent) weigh(o *Outgoing, leg *binding.UpstreamLeg, understood bool) {
	s.Reading = outcome.ReadingOf(s.kindOf(o, leg, understood))
	if s.Reading.Proof == outcome.ProvesNothing {
		s.Outcome = audit.OutcomeUpstreamError
	}
	if isRefused(leg) {
		s.Verdict = wsfev1.Verdict{Failed: true}
	}
}

// answerLoss returns the failure class of an unusable answer, empty for any other.
func (s *Sent) answerLoss() audit.Failure {
	if s.Refuses() {
		return "" // it answers
	}
	if s.Outcome == audit.OutcomeUpstreamError || slices.ContainsFunc(s.Verdict.Codes, outcome.IsServiceFailure) {
		return audit.FailureService
	}
	return ""
}

func (s *Sent) find(o *Outgoing, findings []validate.Finding) {
	if len(findings) > 0 {
		s.Findings = append(s.Findings, intake.Acted(findings, o.Redactor.Credentials(o.Credentials...), intake.Observe)...)
	}
}

// decode returns the typed answer, and where it deviates from its shape.
func (s *Sent) decode(o *Outgoing, leg *binding.UpstreamLeg, facts *binding.Wire) (typed any, deviations []validate.Finding) {
	switch {
	case leg == nil:
		if made := facts.Made(s.Reply.Body); made != nil && s.Reply.Status == http.StatusOK {
			return made, nil
		}
	case leg.Read == binding.LegUnread:
		return o.Operation.NewAnswer(), []validate.Finding{{
			Code: codeNoSOAP, Severity: validate.OBS, Invoice: validate.Header,
			Text: "La respuesta no es un mensaje SOAP de la operación.", Source: "docs/sources.md#soap",
		}}
	case leg.Read == binding.LegAnswered:
		return leg.Typed, nil
	}
	typed, shape := o.Operation.NewAnswer(), o.Operation.Answer
	if s.Reply.Status != http.StatusOK {
		typed, shape = new(wsfev1.ErrorBody), wsfev1.ErrorBodyShape
	}
	return typed, validate.DecodeAnswer(shape, s.Reply.Body, typed)
}

// codeNoSOAP is the finding's code of an answer that is no message in SOAP.
const codeNoSOAP = "answer.syntax"

// AnsweredLeg returns the leg of an upstream that speaks SOAP if a body in JSON comes from the leg, nil for
// none: a handler in between may have replaced it.
func (s *Sent) AnsweredLeg(body []byte) *binding.UpstreamLeg {
	if s.Leg == nil || s.Leg.Read != binding.LegUnread && !bytes.Equal(s.Leg.JSON, body) {
		return nil
	}
	return s.Leg
}

// isAmbiguous reports whether another reader may take other values from an answer: the last of two members,
// or one whose name differs in case.
func isAmbiguous(deviations []validate.Finding) bool {
	return len(deviations) >= validate.MaxFindings || slices.ContainsFunc(deviations, func(f validate.Finding) bool {
		return f.Code == "answer.duplicate" || f.Code == "answer.case"
	})
}
