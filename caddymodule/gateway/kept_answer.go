package gateway

import (
	"bytes"
	"encoding/base64"
	"errors"
	"html"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/fielato/fielato/audit/redact"
	"github.com/fielato/fielato/caddymodule/binding"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsaa"
	"github.com/fielato/fielato/wsaa/client"
)

// answerMask finds a keeper's ticket in an answer of the service. The client never had that ticket:
// unlike an echo of its own, it must not get this one.
type answerMask struct {
	redactor *redact.Redactor
	echoes   *redact.Echoes
	// documents are the plain text of Token and Sign, which are in base64.
	documents []string
}

func newAnswerMask(redactor *redact.Redactor, ticket *client.Ticket) *answerMask {
	m := &answerMask{redactor: redactor}
	credentials := []string{ticket.Token.Reveal(), ticket.Sign.Reveal()}
	m.echoes = redactor.Echoes(credentials...)
	for _, credential := range credentials {
		if plain, err := base64.StdEncoding.DecodeString(credential); err == nil {
			m.documents = append(m.documents, string(plain))
		}
	}
	return m
}

// shortestEcho is the length in bytes of the shortest text that can hold a part of a ticket.
const shortestEcho = 8

// longestFigure is the length in bytes from which digits alone can be a part of a ticket, in hexadecimal.
// Most texts of an answer are shorter ones: numbers, dates, a CAE.
const longestFigure = 2 * minHexadecimal

// wrappings is how many forms around each other are looked through.
const wrappings = 3

// holds reports whether a text contains a part of the ticket, in any of the forms in which services
// quote text.
func (m *answerMask) holds(text string) bool {
	if len(text) < shortestEcho || len(text) < longestFigure && strings.Trim(text, "0123456789") == "" {
		return false
	}
	seen, forms := []string{text}, []string{text}
	for range wrappings {
		if slices.ContainsFunc(forms, m.inForm) {
			return true
		}
		var inner []string
		for _, form := range forms {
			for _, next := range m.formsOf(form) {
				if !slices.Contains(seen, next) {
					seen, inner = append(seen, next), append(inner, next)
				}
			}
		}
		forms = inner
	}
	return slices.ContainsFunc(forms, m.inForm)
}

// formsOf is the function of that name, and the forms of pages and of base64.
func (m *answerMask) formsOf(text string) []string {
	forms := formsOf(text)
	if strings.Contains(text, "&") {
		forms = append(forms, html.UnescapeString(text))
	}
	if plain, err := base64.StdEncoding.DecodeString(text); err == nil && utf8.Valid(plain) {
		forms = append(forms, string(plain))
	}
	return forms
}

// plainRun is how much of a document counts as an echo of it, in bytes. Less is in other texts too,
// such as the CUIT of the certificate.
const plainRun = 64

// inForm reports whether one form of a text contains a part of the ticket.
func (m *answerMask) inForm(text string) bool {
	if m.echoes.In(text) {
		return true
	}
	if len(text) < plainRun {
		return false
	}
	for _, document := range m.documents {
		for at := 0; at+plainRun <= len(document); at += plainRun / 2 {
			if strings.Contains(text, document[at:at+plainRun]) {
				return true
			}
		}
	}
	return false
}

// body returns an answer in which fingerprints stand for the texts that contain a part of the ticket.
// Of one that is no JSON nothing is left if it contains any.
func (m *answerMask) body(body []byte) []byte {
	if hidden, ok := m.document(body); ok {
		return hidden
	}
	if bytes.IndexByte(body, 0) >= 0 || m.holds(string(body)) {
		return nil // with null bytes it is text of another encoding, or no text
	}
	return body
}

// document is body for JSON, false for anything else.
func (m *answerMask) document(body []byte) (hidden []byte, ok bool) {
	decoder := jsontext.NewDecoder(bytes.NewReader(body), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	copied, depth := 0, 0
	for done := false; !done; done = depth == 0 {
		kind := decoder.PeekKind()
		if kind != '"' && kind != '0' {
			if _, err := decoder.ReadToken(); err != nil {
				return nil, false
			}
			depth = decoder.StackDepth()
			continue
		}
		raw, err := decoder.ReadValue()
		if err != nil {
			return nil, false
		}
		text := string(raw)
		if kind == '"' {
			plain, _ := jsontext.AppendUnquote(nil, raw) // of one that is invalid, as far as it goes
			text = string(plain)
		}
		if !m.holds(text) {
			continue
		}
		end := int(decoder.InputOffset())
		hidden = append(hidden, body[copied:end-len(raw)]...)
		hidden = append(append(append(hidden, '"'), m.redactor.Fingerprint([]byte(text))...), '"')
		copied = end
	}
	if _, err := decoder.ReadToken(); !errors.Is(err, io.EOF) {
		return nil, false
	}
	if copied == 0 {
		return body, true
	}
	return append(hidden, body[copied:]...), true
}

// hideTicket hides what the answer echoes of a keeper's ticket, before anything is made of it: the
// typed answer, findings, the record, what a query has found out.
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
			leg.Typed = x.in.operation.NewAnswer()
			validate.DecodeAnswer(x.in.operation.Answer, hidden, leg.Typed)
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
	kept, ok := x.trail.Redactor.Mask(nil).XML(message, charset, false, x.in.credentials...)
	return !ok || !bytes.Equal(kept, message) || x.out.mask.holds(string(message))
}
