package view

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/printable"
)

// mediaJSON is the media type of all bodies of exchanges, except in a client's leg.
const mediaJSON = "application/json"

// side is the request or the answer of an exchange.
type side struct {
	name string
	// of is the record that has it, or should; nil if there is none.
	of     *audit.Record
	body   []byte
	length int64
	// leg is the client's leg that the body is of, nil for the exchange itself.
	leg *audit.Leg
	// mediaType and charset describe the body of a leg.
	mediaType, charset string
	// elsewhere names the record that has it, where that one is not shown.
	elsewhere string
}

// sides returns the request and the answer of an exchange. p.half: halves is one record, and
// nothing is known of the other.
func (p *tablePrinter) sides(halves []*audit.Record) []side {
	request, answer := side{name: "request"}, side{name: "answer"}
	for _, r := range halves {
		switch {
		case r.Kind == audit.KindAccess || r.Kind == audit.KindOutage:
			return nil
		case r.Kind != audit.KindOutcome && r.Kind != audit.KindSettlement || len(r.Request) > 0:
			if request.of == nil || len(r.Request) > len(request.body) {
				request.of, request.body, request.length = r, r.Request, r.RequestLength
			}
		}
		if r.Kind != audit.KindIntent && (answer.of == nil || len(r.Answer) > len(answer.body)) {
			answer.of, answer.body, answer.length = r, r.Answer, r.AnswerLength
		}
	}
	if p.half && request.of == nil {
		r := halves[0]
		request.elsewhere = fmt.Sprintf("in the record of the intent, %s/%d", cmp.Or(r.IntentLog, r.Log), r.Intent)
	}
	if p.half && answer.of == nil {
		answer.elsewhere = "in the record of the outcome"
	}
	return append(append([]side{request, answer}, clientSides(halves)...), serviceSides(halves)...)
}

// clientSides returns the request and the answer as the client sent and got them, where that is
// another form.
func clientSides(halves []*audit.Record) (all []side) {
	request, answer := side{name: "request of the client"}, side{name: "answer to the client"}
	for _, r := range halves {
		l := r.Client
		if l == nil {
			continue
		}
		if request.of == nil || len(l.Request) > len(request.body) {
			request.of, request.leg, request.body, request.length = r, l, l.Request, l.RequestLength
			request.mediaType, request.charset = l.RequestMediaType(), l.Charset()
		}
		if r.Kind != audit.KindIntent {
			answer.of, answer.leg, answer.body, answer.length = r, l, l.Answer, l.AnswerLength
			answer.mediaType = l.MediaType()
		}
	}
	if request.of == nil {
		return nil
	}
	return []side{request, answer}
}

// serviceSides returns the request and the answer as the service got and gave them, if that is another form
// or a completed request. A body that is the client's own is not shown twice. The intent's request is shown
// if no other record knows the request that the service got.
func serviceSides(halves []*audit.Record) (all []side) {
	after := slices.ContainsFunc(halves, func(r *audit.Record) bool { return r.Kind != audit.KindIntent && r.Service != nil })
	for _, r := range halves {
		l := r.Service
		if l == nil || r.Kind == audit.KindIntent && after {
			continue
		}
		if len(l.Request) > 0 || r.Client == nil || r.Client.RequestDigest != l.RequestDigest {
			all = append(all, side{
				name: "request to the service", of: r, leg: l, body: l.Request, length: l.RequestLength,
				mediaType: l.RequestMediaType(), charset: l.Charset(),
			})
		}
		if l.Form == audit.FormJSON {
			continue // its answer is the exchange's
		}
		if len(l.Answer) > 0 || r.Client == nil || r.Client.AnswerDigest != l.AnswerDigest {
			all = append(all, side{name: "answer of the service", of: r, leg: l, body: l.Answer, length: l.AnswerLength, mediaType: l.MediaType()})
		}
	}
	return all
}

// media returns the media type of the body.
func (s side) media() string {
	if s.leg != nil {
		return s.mediaType + " (" + s.leg.Form + ")"
	}
	return mediaJSON
}

// label names the document that follows, or says why there is none.
func (s side) label() string {
	switch {
	case len(s.body) > 0:
		return fmt.Sprintf("%s: %s, %d bytes as it came; fingerprints stand for credentials", s.name, s.media(), s.length)
	case s.elsewhere != "":
		return s.name + ": " + s.elsewhere
	case s.of == nil:
		return s.name + ": none is recorded"
	case s.of.Presence == audit.Purged:
		return fmt.Sprintf("%s: %d bytes, purged: removed on purpose, for ever", s.name, s.length)
	case s.of.Presence == audit.Sealed:
		return fmt.Sprintf("%s: %d bytes, sealed: encrypted, and the key was not given", s.name, s.length)
	case s.length > 0:
		return fmt.Sprintf("%s: %d bytes, %s", s.name, s.length, notKept)
	}
	return s.name + ": none came"
}

// printSides writes each document below its label: indented and with control sequences of a
// terminal escaped, or raw.
func (p *tablePrinter) printSides(halves []*audit.Record) error {
	for _, s := range p.sides(halves) {
		text, err := p.document(s)
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(p.out, "\n%s\n%s", s.label(), text); err != nil {
			return err
		}
	}
	return nil
}

// document formats a body; empty for none.
func (p *tablePrinter) document(s side) (string, error) {
	if len(s.body) == 0 {
		return "", nil
	}
	if p.raw {
		return string(s.body) + "\n", nil
	}
	if s.leg != nil && s.leg.Form != audit.FormJSON {
		return printable.XML(s.body, s.charset, s.of), nil
	}
	return printable.JSON(s.body)
}
