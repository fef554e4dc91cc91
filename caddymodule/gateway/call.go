package gateway

import (
	"bytes"
	"crypto/sha256"

	"github.com/fielato/fielato/audit"
)

// serverInfo is who answers, in the header of an answer in SOAP, which the service's own has.
const serverInfo = "Fielato"

// typedReply returns the answer that the reply was read into, nil if the reply has been replaced since.
func (x *exchange) typedReply() any {
	if body := x.reply.Body; x.answer.wellFormed && len(body) > 0 && len(body) == len(x.answer.read) && &body[0] == &x.answer.read[0] {
		return x.answer.typed
	}
	return nil
}

// clientLeg returns the client's side of the exchange as it is recorded, nil if it is the exchange
// itself. The rest of the record is complete.
func (x *exchange) clientLeg(r *audit.Record) *audit.Leg {
	c := x.form.Message()
	if c == nil || c.Body == nil && r.Kind != audit.KindIntent && c.Reply.Body == nil {
		return nil
	}
	l := &audit.Leg{Form: c.Form(), RequestType: c.MediaType, RequestLength: int64(len(c.Body))}
	if c.Body != nil {
		l.RequestDigest = x.mask.Digest(c.Digest)
		if r.Kind != audit.KindOutcome { // the intent holds it
			l.Request, _ = x.mask.XML(c.Body, c.Charset, true, x.credentials...)
		}
	}
	if r.Kind == audit.KindIntent {
		return l
	}
	l.AnswerLength, l.AnswerDigest = int64(len(c.Reply.Body)), x.mask.Digest(sha256.Sum256(c.Reply.Body))
	l.Answer = x.redactReply(r)
	return l
}

// redactReply returns the reply in SOAP without credentials and hidden fields.
func (x *exchange) redactReply(r *audit.Record) []byte {
	if x.passedOn() == nil && x.refusal == nil && x.answer.wellFormed && bytes.Equal(r.Answer, x.reply.Body) {
		return x.form.Message().Reply.Body // the same texts, in which there was nothing to replace
	}
	kept, _ := x.mask.XML(x.form.Message().Reply.Body, "utf-8", false, x.credentials...)
	return kept
}
