package record

import (
	"bytes"
	"crypto/sha256"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/binding"
)

// clientLeg returns the client's side of the exchange as it is recorded, nil if it is the exchange
// itself. The rest of the record is complete.
func (f *Facts) clientLeg(r *audit.Record) *audit.Leg {
	c := f.Form.Message()
	if c == nil || c.Body == nil && r.Kind != audit.KindIntent && c.Reply.Body == nil {
		return nil
	}
	l := &audit.Leg{Form: c.Form(), RequestType: c.MediaType, RequestLength: int64(len(c.Body))}
	if c.Body != nil {
		l.RequestDigest = f.Mask.Digest(c.Digest)
		if r.Kind != audit.KindOutcome { // the intent holds it
			l.Request, _ = f.Mask.XML(c.Body, c.Charset, true, f.Credentials...)
		}
	}
	if r.Kind == audit.KindIntent {
		return l
	}
	l.AnswerLength, l.AnswerDigest = int64(len(c.Reply.Body)), f.Mask.Digest(sha256.Sum256(c.Reply.Body))
	l.Answer = f.redactReply(r)
	return l
}

// redactReply returns the reply in SOAP without credentials and hidden fields.
func (f *Facts) redactReply(r *audit.Record) []byte {
	if f.Result.Passed == nil && f.Result.Refusal == nil && f.Result.WellFormed && bytes.Equal(r.Answer, f.Result.Reply.Body) {
		return f.Form.Message().Reply.Body // the same texts, in which there was nothing to replace
	}
	kept, _ := f.Mask.XML(f.Form.Message().Reply.Body, "utf-8", false, f.Credentials...)
	return kept
}

// serviceLeg returns the service's side of the exchange as it is recorded, nil if it is the exchange
// itself. A body that is the client's own is kept in the client's leg alone.
func (f *Facts) serviceLeg(client *audit.Leg) *audit.Leg {
	sent := f.Sent.Leg
	if sent == nil && f.isCompleted() && f.Result.Certainty != audit.NotSent {
		return f.completedLeg()
	}
	if sent == nil || f.Result.Certainty == audit.NotSent && sent.Answer == nil {
		return nil
	}
	l := &audit.Leg{
		Form: binding.FormOf(sent.Sent), RequestType: sent.Sent.MediaType(),
		RequestLength: int64(len(sent.Request)), RequestDigest: f.Mask.Digest(sha256.Sum256(sent.Request)),
	}
	if client == nil || client.RequestDigest != l.RequestDigest {
		l.Request, _ = f.Mask.XML(sent.Request, "utf-8", true, f.Credentials...)
	}
	if sent.Answer == nil {
		return l
	}
	l.AnswerLength, l.AnswerDigest = int64(len(sent.Answer)), f.Mask.Digest(sha256.Sum256(sent.Answer))
	if client == nil || client.AnswerDigest != l.AnswerDigest {
		l.Answer, _ = f.Mask.XML(sent.Answer, sent.AnswerCharset, false, f.Credentials...)
		if f.Ticket.In(string(l.Answer)) {
			l.Answer = nil // in a form that the mask does not look through
		}
	}
	return l
}

// completedLeg is serviceLeg for a service that speaks JSON, and got a completed request.
func (f *Facts) completedLeg() *audit.Leg {
	_, document := f.Outgoing()
	l := &audit.Leg{
		Form: audit.FormJSON, RequestLength: int64(len(document)), RequestDigest: f.Mask.Digest(sha256.Sum256(document)),
	}
	l.Request, _ = f.Redact(document, true)
	return l
}

// filledLeg returns the service's side of an intent, nil if it gets what came. Its form on the wire is
// not known yet.
func (f *Facts) filledLeg() *audit.Leg {
	if f.Decision.Completed == nil {
		return nil
	}
	return f.completedLeg()
}
