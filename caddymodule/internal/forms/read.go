package forms

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/fielato/fielato/caddymodule/internal/printable"
	"github.com/fielato/fielato/internal/xmlscan"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
	"github.com/fielato/fielato/wsfev1/soap"
)

// errHTTP is about a file that holds more than a body.
var errHTTP = errors.New("it is recorded HTTP, with a header: keep the body alone, which follows the first empty line")

// read reads a document of either form.
func (c *Converter) read(body []byte) (*typedMessage, error) {
	line, _, _ := bytes.Cut(bytes.TrimLeft(body, Blanks), []byte("\n"))
	if RecordedHTTP(line) != "" {
		return nil, errHTTP
	}
	xml, _ := isXML(body)
	if !xml {
		return c.readJSON(body)
	}
	text, _, err := xmlscan.Decode(body, "")
	if err == nil && !IsMarkup(text) {
		return nil, errors.New("it is in UTF-16 and no XML: JSON is written in UTF-8")
	}
	return c.readSOAP(body, text)
}

func (c *Converter) readJSON(body []byte) (*typedMessage, error) {
	op := c.Operation
	if op == nil && c.Answer {
		return nil, errors.New("the members of an answer do not show its operation: name it with --operation")
	}
	if op == nil {
		var err error
		op, err = OperationOf(body)
		switch {
		case errors.Is(err, ErrAnswer):
			return nil, errors.New("it is an answer of the service: add --answer and --operation")
		case err != nil:
			return nil, errors.New("it is neither JSON nor XML")
		case op == nil:
			return nil, errors.New("its members do not show the operation: name it with --operation")
		}
	}
	m := &typedMessage{operation: op, answer: c.Answer, form: JSON}
	var findings []validate.Finding
	if c.Answer {
		m.body = op.NewAnswer()
		findings = c.leaveOut(validate.DecodeAnswer(op.Answer, body, m.body))
	} else {
		var request *validate.Request
		request, findings = validate.Decode(op, body, validate.ARCA)
		m.body = request.Body
	}
	return m, c.refuse(m, findings)
}

// leaveOut reports the members of an answer that the interface does not have, and returns the
// other findings.
func (c *Converter) leaveOut(findings []validate.Finding) []validate.Finding {
	var others []validate.Finding
	for _, f := range findings {
		if f.Code != "answer.unknown" {
			others = append(others, f)
			continue
		}
		c.lose("left out: " + printable.OneLine(c.Redactor.Credentials().Pointer(f.Pointer)) + ", which the service does not know")
	}
	return others
}

// refuse reports what keeps a document from being converted.
func (c *Converter) refuse(m *typedMessage, findings []validate.Finding) error {
	if len(findings) == 0 {
		return nil
	}
	auth := wsfev1.Auth{}
	if !m.answer {
		auth = wsfev1.AuthOf(m.body)
	}
	c.Redactor.Credentials(auth.Token.Reveal(), auth.Sign.Reveal()).Findings(findings)
	for _, f := range findings {
		c.Note(printable.OneLine(MessageOf(f)) + InXML(f))
	}
	return fmt.Errorf("it is not of the shape of %s", m.operation.Name)
}

func (c *Converter) readSOAP(body, text []byte) (*typedMessage, error) {
	e, err := soap.Open(body, "")
	if err != nil {
		return nil, withPlace(err)
	}
	m := &typedMessage{form: FormOf(e.Version), operation: e.Answered(), answer: e.Answered() != nil}
	var findings []validate.Finding
	switch {
	case e.IsFault():
		return nil, errors.New("it is a SOAP fault, which has no form in JSON")
	case m.answer:
		if c.Operation != nil && c.Operation != m.operation {
			return nil, fmt.Errorf("it is an answer to %s, and --operation is %s", m.operation.Name, c.Operation.Name)
		}
		answer, err := soap.Parse(m.operation, body, "")
		if err != nil {
			return nil, withPlace(err)
		}
		m.body, findings = answer.Body, validate.FromSOAPAnswer(answer.Findings)
	default:
		if m.operation, err = c.operationNamed(e); err != nil {
			return nil, err
		}
		read := e.Decode(m.operation)
		m.body, findings = read.Body, validate.FromSOAP(read.Findings)
	}
	if err := c.refuse(m, findings); err != nil {
		return nil, err
	}
	c.compare(text, m)
	return m, nil
}

// operationNamed returns the operation of a request.
func (c *Converter) operationNamed(e *soap.Envelope) (*wsfev1.Operation, error) {
	action := ""
	if c.Operation != nil {
		action = soap.ActionPrefix + c.Operation.Name
	}
	op, err := e.Route(action)
	in := wsfev1.OperationByName(e.Element)
	switch {
	case err == nil && c.Answer:
		return nil, fmt.Errorf("it is a request of %s, and --answer was given", op.Name)
	case err == nil:
		return op, nil
	case c.Operation != nil && in != nil:
		return nil, fmt.Errorf("it is a request of %s, and --operation is %s", in.Name, c.Operation.Name)
	case e.Element == "":
		return nil, fmt.Errorf("its Body is empty, or not of the service (%s): name the operation with --operation", soap.Namespace)
	}
	text := "the element of its Body is no operation"
	if near := NearestOperations(e.Element); len(near) > 0 {
		text += "; did you mean " + strings.Join(near, " or ") + "?"
	}
	return nil, errors.New(text)
}

// withPlace adds the line and the column to an error about a message.
func withPlace(err error) error {
	if refused, ok := errors.AsType[*soap.Error](err); ok && refused.Line > 0 {
		return fmt.Errorf("line %d, column %d: %w", refused.Line, refused.Column, err)
	}
	return err
}
