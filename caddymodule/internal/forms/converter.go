package forms

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/go-json-experiment/json"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/mask"
	"github.com/fielato/fielato/wsfev1"
	"github.com/fielato/fielato/wsfev1/soap"
)

// Converter writes a document in another form. What it reports has no credentials.
type Converter struct {
	// Operation is nil to find it in the document.
	Operation *wsfev1.Operation
	// Answer: a document in JSON is an answer. A SOAP message shows it.
	Answer   bool
	Redactor *mask.Redactor
	// Note reports what has no counterpart. Lost: it is something of the content.
	Note func(string)
	Lost bool
}

// ErrLost ends a conversion that has left something out.
var ErrLost = errors.New("something was left out")

// typedMessage is a request or an answer that was read.
type typedMessage struct {
	operation *wsfev1.Operation
	answer    bool
	body      any
	// form is that in which it was read.
	form string
}

// Document is a document in one line.
type Document struct {
	Text []byte
	XML  bool
	// Operation and Answer identify the message in the document.
	Operation *wsfev1.Operation
	Answer    bool
}

// Convert reads a document and writes it in a form, the other one if none is given. It reads the
// result back: what cannot be carried shows then, whatever it is.
func (c *Converter) Convert(body []byte, to string) (Document, error) {
	m, err := c.read(body)
	if err != nil {
		return Document{}, err
	}
	switch {
	case to == "" && m.form == JSON:
		to = SOAP11
	case to == "":
		to = JSON
	}
	text, err := m.write(to)
	if err != nil {
		return Document{}, err
	}
	again, err := c.readBack(m, text, to)
	if err != nil {
		return Document{}, err
	}
	shape := m.operation.Request
	if m.answer {
		shape = m.operation.Answer
	}
	for _, pointer := range differences(nil, shape, reflect.ValueOf(m.body).Elem(), reflect.ValueOf(again).Elem(), "") {
		c.lose(fmt.Sprintf("changed: %s reads otherwise in the result", pointer))
	}
	return Document{text, to != JSON, m.operation, m.answer}, nil
}

// lose reports something of the content that has no counterpart.
func (c *Converter) lose(text string) {
	c.Lost = true
	c.Note(text)
}

// write writes the message in a form.
func (m *typedMessage) write(to string) ([]byte, error) {
	version := soap.V11
	switch to {
	case JSON:
		text, err := json.Marshal(m.body)
		if err != nil {
			return nil, fmt.Errorf("writing %s in JSON: %w", m.operation.Name, err)
		}
		return text, nil
	case SOAP12:
		version = soap.V12
	}
	if m.answer {
		return soap.AppendAnswer(nil, version, m.operation, m.body, soap.Info{})
	}
	return soap.AppendRequest(nil, version, m.operation, m.body)
}

// The forms that a document is converted to.
const (
	JSON   = "json"
	SOAP11 = "soap11"
	SOAP12 = "soap12"
)

// FormOf returns the form of a message as records name it.
func FormOf(version soap.Version) string {
	if version == soap.V12 {
		return audit.FormSOAP12
	}
	return audit.FormSOAP11
}
