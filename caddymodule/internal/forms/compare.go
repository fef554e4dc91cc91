package forms

import (
	"fmt"
	"reflect"
	"strconv"

	"github.com/fielato/fielato/caddymodule/internal/printable"
	"github.com/fielato/fielato/internal/xmlscan"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
	"github.com/fielato/fielato/wsfev1/soap"
)

// maxLosses bounds how many losses of each kind are named.
const maxLosses = 20

// compare reports what a message has that its typed form has not.
func (c *Converter) compare(text []byte, m *typedMessage) {
	lines := xmlscan.NewLines(text)
	credentials := c.Redactor.Credentials(SecretsIn(text, m.body)...)
	elements, others := 0, 0
	w := NewWalk(m.operation, m.answer)
	w.Element = func(at int, e Element) {
		if e.Known {
			return
		}
		if elements++; elements <= maxLosses {
			line, _ := lines.At(at)
			c.lose(fmt.Sprintf("left out: line %d: %s, which the service does not know", line, printable.OneLine(credentials.Pointer(e.Path))))
		}
	}
	w.Text = func(at int, e Element) {
		if elements++; elements <= maxLosses {
			line, _ := lines.At(at)
			c.lose(fmt.Sprintf("left out: line %d: text in %s, which the service does not see", line, printable.OneLine(credentials.Pointer(e.Path))))
		}
	}
	w.Other = func(at int, what string) {
		if others++; others <= maxLosses {
			line, _ := lines.At(at)
			c.Note(fmt.Sprintf("left out: line %d: %s", line, what))
		}
	}
	w.Read(text)
	if more := max(0, elements-maxLosses) + max(0, others-maxLosses); more > 0 {
		c.Note(fmt.Sprintf("left out: %d more", more))
	}
}

// readBack reads what was written.
func (c *Converter) readBack(m *typedMessage, text []byte, form string) (any, error) {
	var body any
	var findings []validate.Finding
	switch {
	case form == JSON && m.answer:
		body = m.operation.NewAnswer()
		findings = validate.DecodeAnswer(m.operation.Answer, text, body)
	case form == JSON:
		request, found := validate.Decode(m.operation, text, validate.ARCA)
		body, findings = request.Body, found
	case m.answer:
		answer, err := soap.Parse(m.operation, text, "")
		if err != nil {
			return nil, fmt.Errorf("reading the result: %w", err)
		}
		body, findings = answer.Body, validate.FromSOAPAnswer(answer.Findings)
	default:
		e, err := soap.Open(text, "")
		if err != nil {
			return nil, fmt.Errorf("reading the result: %w", err)
		}
		read := e.Decode(m.operation)
		body, findings = read.Body, validate.FromSOAP(read.Findings)
	}
	if c.refuse(m, findings) != nil {
		return nil, fmt.Errorf("%s has no form in %s that can be read", m.operation.Name, form)
	}
	return body, nil
}

// differences appends the JSON Pointers of values that are not the same in both messages. An object
// that is absent is the same as one that is empty.
func differences(found []string, shape *wsfev1.Shape, a, b reflect.Value, pointer string) []string {
	switch {
	case len(found) == maxLosses:
		return found
	case shape.Kind == wsfev1.KindAmount:
		if !sameAmount(a.Interface().(wsfev1.Amount), b.Interface().(wsfev1.Amount)) {
			found = append(found, pointer)
		}
		return found
	case shape.Kind == wsfev1.KindList:
		if a.Len() != b.Len() {
			return append(found, pointer)
		}
		for i := range a.Len() {
			found = differences(found, shape.Item, a.Index(i), b.Index(i), pointer+"/"+strconv.Itoa(i))
		}
		return found
	case shape.Kind != wsfev1.KindObject:
		if !a.Equal(b) {
			found = append(found, pointer)
		}
		return found
	}
	for i := range shape.Members {
		m := &shape.Members[i]
		x, y := a.FieldByIndex(m.Index), b.FieldByIndex(m.Index)
		if m.Pointer {
			x, y = orEmpty(x), orEmpty(y)
		}
		found = differences(found, m.Shape, x, y, pointer+"/"+m.Name)
	}
	return found
}

// orEmpty returns what a pointer points to, an empty one for nil.
func orEmpty(v reflect.Value) reflect.Value {
	if v.IsNil() {
		return reflect.New(v.Type().Elem()).Elem()
	}
	return v.Elem()
}

func sameAmount(a, b wsfev1.Amount) bool {
	if a.Exact() && b.Exact() {
		return a.Equal(b)
	}
	return a.String() == b.String()
}
