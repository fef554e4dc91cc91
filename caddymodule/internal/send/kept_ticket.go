package send

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/fielato/fielato/caddymodule/internal/binding"
	"github.com/fielato/fielato/internal/mask"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsaa"
	"github.com/fielato/fielato/wsaa/client"
	"github.com/fielato/fielato/wsfev1"
)

// KeptTicket is a keeper's ticket that a request is sent with. The client never had it: unlike an echo of
// its own, it must not get this one in an answer. A nil KeptTicket is in no text.
type KeptTicket struct {
	Ticket   *client.Ticket
	redactor *mask.Redactor
	needles  *mask.Credentials
}

// NewKeptTicket returns a ticket that is found in answers.
func NewKeptTicket(redactor *mask.Redactor, ticket *client.Ticket) *KeptTicket {
	return &KeptTicket{ticket, redactor, redactor.Credentials(ticket.Token.Reveal(), ticket.Sign.Reveal())}
}

// In reports whether a text contains a part of the ticket.
func (t *KeptTicket) In(text string) bool { return t != nil && t.needles.In(text) }

// Echoed reports whether a message of the service in SOAP echoes the ticket, or one of these credentials.
func (t *KeptTicket) Echoed(message []byte, charset string, credentials ...string) bool {
	if t == nil {
		return false
	}
	kept, ok := t.redactor.Mask(nil).XML(message, charset, false, credentials...)
	return !ok || !bytes.Equal(kept, message) || t.In(string(message))
}

// hideTicket hides the echoes of a keeper's ticket in the answer before anything is made of it:
// the typed answer, findings, the record, the result of a query.
func (s *Sent) hideTicket(o *Outgoing) {
	if o.Ticket == nil {
		return
	}
	came := s.Reply.Body
	hidden := o.Ticket.needles.Answer(came)
	if binding.IsEncoded(s.Reply.Header) {
		hidden = nil // the gateway has requested no coding, and looks into none
	}
	if bytes.Equal(hidden, came) {
		return
	}
	s.TicketRefused = wsaa.RefusesTicket(string(came))
	if leg := s.AnsweredLeg(came); leg != nil && leg.Read != binding.LegUnread {
		leg.JSON = hidden
		if leg.Read == binding.LegAnswered {
			leg.Typed = o.Operation.NewAnswer()
			validate.DecodeAnswer(o.Operation.Answer, hidden, leg.Typed)
		}
	}
	if s.Reply.Body = hidden; hidden == nil {
		s.Reply.Header.Del("Content-Encoding")
	}
}

var errNoAuth = errors.New("it has no Auth")

// WithTicket returns a request, and the same in JSON, with other credentials. All other bytes stay as they
// are.
func WithTicket(request *validate.Request, document []byte, auth wsfev1.Auth) (*validate.Request, []byte, error) {
	with, err := withAuth(document, auth)
	if err != nil {
		return nil, nil, fmt.Errorf("putting a ticket into a request: %w", err)
	}
	completed := *request
	completed.Body = wsfev1.WithAuth(request.Body, auth)
	return &completed, with, nil
}

// withAuth returns a request in JSON with other credentials. All other bytes stay as the client has
// written them.
func withAuth(body []byte, auth wsfev1.Auth) ([]byte, error) {
	decoder := jsontext.NewDecoder(bytes.NewReader(body))
	if _, err := decoder.ReadToken(); err != nil {
		return nil, err //nolint:wrapcheck // the caller does
	}
	for decoder.PeekKind() == '"' {
		name, err := decoder.ReadToken()
		if err != nil {
			return nil, err //nolint:wrapcheck // the caller does
		}
		mine := name.String() == "Auth" // the token does not outlive the next call
		value, err := decoder.ReadValue()
		if err != nil {
			return nil, err //nolint:wrapcheck // the caller does
		}
		if !mine {
			continue
		}
		end := int(decoder.InputOffset())
		written, err := json.Marshal(auth)
		return slices.Concat(body[:end-len(value)], written, body[end:]), err //nolint:wrapcheck // the caller does
	}
	return nil, errNoAuth
}
