package gateway

import (
	"bytes"

	"github.com/fielato/fielato/caddymodule/internal/binding"
	"github.com/fielato/fielato/internal/redact"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsaa"
	"github.com/fielato/fielato/wsaa/client"
)

// answerMask finds a keeper's ticket in an answer of the service. The client never had that ticket:
// unlike an echo of its own, it must not get this one.
type answerMask struct{ ticket *redact.Credentials }

func newAnswerMask(redactor *redact.Redactor, ticket *client.Ticket) *answerMask {
	return &answerMask{redactor.Credentials(ticket.Token.Reveal(), ticket.Sign.Reveal())}
}

// holds reports whether a text contains a part of the ticket.
func (m *answerMask) holds(text string) bool { return m.ticket.In(text) }

// body returns an answer in which fingerprints stand for the texts that contain a part of the ticket, also one that
// is cut over several.
// Of one that is no JSON nothing is left if it contains any.
func (m *answerMask) body(body []byte) []byte {
	if hidden, ok := m.ticket.Document(body); ok {
		return hidden
	}
	if bytes.IndexByte(body, 0) >= 0 || m.holds(string(body)) {
		return nil // with null bytes it is text of another encoding, or no text
	}
	return body
}

// hideTicket hides the echoes of a keeper's ticket in the answer before anything is made of it:
// the typed answer, findings, the record, the result of a query.
func (x *exchange) hideTicket() {
	if x.out.ticket == nil {
		return
	}
	came := x.reply.Body
	hidden := x.out.mask.body(came)
	if binding.IsEncoded(x.reply.Header) {
		hidden = nil // the gateway has requested no coding, and looks into none
	}
	if bytes.Equal(hidden, came) {
		return
	}
	x.out.refused = wsaa.RefusesTicket(string(came))
	if leg := x.answeredLeg(); leg != nil && leg.Read != binding.LegUnread {
		leg.JSON = hidden
		if leg.Read == binding.LegAnswered {
			leg.Typed = x.in.Operation.NewAnswer()
			validate.DecodeAnswer(x.in.Operation.Answer, hidden, leg.Typed)
		}
	}
	if x.reply.Body = hidden; hidden == nil {
		x.reply.Header.Del("Content-Encoding")
	}
}

// echoes reports whether a message of the service echoes a keeper's ticket.
func (x *exchange) echoes(message []byte, charset string) bool {
	if x.out.ticket == nil {
		return false
	}
	kept, ok := x.trail.Redactor.Mask(nil).XML(message, charset, false, x.credentials...)
	return !ok || !bytes.Equal(kept, message) || x.out.mask.holds(string(message))
}
