package view

import (
	"cmp"
	"fmt"
	"io"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/command/table"
	"github.com/fielato/fielato/caddymodule/internal/printable"
	"github.com/fielato/fielato/caddymodule/internal/story"
)

// mediaJSON is the media type of all bodies of exchanges, except in a client's leg.
const mediaJSON = "application/json"

// side is a body of an exchange, by the name that it has in a listing.
type side struct {
	name string
	// Document is nil if none is recorded.
	*story.Document
	// elsewhere names the record that has it, where that one is not shown.
	elsewhere string
}

// sideNames are the names of bodies in a listing, in its order.
var sideNames = []struct{ part, name string }{
	{story.PartRequest, "request"},
	{story.PartAnswer, "answer"},
	{story.PartClientRequest, "request of the client"},
	{story.PartClientAnswer, "answer to the client"},
	{story.PartServiceRequest, "request to the service"},
	{story.PartServiceAnswer, "answer of the service"},
}

// sides returns the bodies of an exchange. One that is the client's own is not shown twice. p.half: one record
// is known, and nothing of the other.
func (p *tablePrinter) sides(x *story.Exchange) (all []side) {
	if x.At.Kind == audit.KindAccess || x.At.Kind == audit.KindOutage {
		return nil
	}
	for _, one := range sideNames {
		s := side{name: one.name, Document: x.Document(one.part)}
		if settled := x.Settlement; one.part == story.PartAnswer && settled != nil && s.Document != nil && len(settled.Answer) > len(s.Kept) {
			s.Document = (&story.Exchange{At: settled}).Document(one.part) // the client got another one
		}
		switch {
		case s.Document != nil && s.Same:
			continue
		case one.part == story.PartRequest && len(s.Kept) == 0 && x.Intent == nil && x.At.Kind != audit.KindExchange:
			s.elsewhere = fmt.Sprintf("in the record of the intent, %s/%d", cmp.Or(x.At.IntentLog, x.At.Log), x.At.Intent)
		case p.half && one.part == story.PartAnswer && s.Document == nil:
			s.elsewhere = "in the record of the outcome"
		case s.Document == nil && one.part != story.PartAnswer && (one.part != story.PartClientAnswer || x.Request().Client == nil):
			continue
		}
		all = append(all, s)
	}
	return all
}

// media returns the media type of the body.
func (s side) media() string {
	switch {
	case s.Leg == nil:
		return mediaJSON
	case s.Part == story.PartClientAnswer || s.Part == story.PartServiceAnswer:
		return s.Leg.MediaType() + " (" + s.Leg.Form + ")"
	}
	return s.Leg.RequestMediaType() + " (" + s.Leg.Form + ")"
}

// label names the document that follows, or says why there is none.
func (s side) label() string {
	switch {
	case s.elsewhere != "":
		return s.name + ": " + s.elsewhere
	case s.Document == nil:
		return s.name + ": none is recorded"
	case len(s.Kept) > 0:
		return fmt.Sprintf("%s: %s, %d bytes as it came; fingerprints stand for credentials", s.name, s.media(), s.Length)
	case s.Of.Presence == audit.Purged:
		return fmt.Sprintf("%s: %d bytes, purged: removed on purpose, for ever", s.name, s.Length)
	case s.Of.Presence == audit.Sealed:
		return fmt.Sprintf("%s: %d bytes, sealed: encrypted, and the key was not given", s.name, s.Length)
	case s.Length > 0:
		return fmt.Sprintf("%s: %d bytes, %s", s.name, s.Length, notKept)
	}
	return s.name + ": none came"
}

// printSides writes each document below its label: indented and with control sequences of a
// terminal escaped, or raw.
func (p *tablePrinter) printSides(x *story.Exchange) error {
	for _, s := range p.sides(x) {
		text, err := p.document(s)
		if err != nil {
			return err
		}
		fmt.Fprintln(p.out)
		if err := table.Line(p.out, s.label()); err != nil {
			return err
		}
		if _, err := io.WriteString(p.out, text); err != nil {
			return err
		}
	}
	return nil
}

// document formats a body; empty for none.
func (p *tablePrinter) document(s side) (string, error) {
	switch {
	case s.Document == nil || len(s.Kept) == 0:
		return "", nil
	case p.raw:
		return string(s.Kept) + "\n", nil
	case s.IsXML():
		return printable.XML(s.Kept, s.Charset, s.Of), nil
	}
	return printable.JSON(s.Kept)
}
