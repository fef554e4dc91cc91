package soap

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/fielato/fielato/internal/typed"
	"github.com/fielato/fielato/internal/xmlscan"
	"github.com/fielato/fielato/wsfev1"
)

var (
	// ErrType is wrapped by the errors of AppendAnswer and AppendRequest.
	ErrType = errors.New("not of the operation's type")
	// ErrText is wrapped by the errors of AppendRequest.
	ErrText = errors.New("a text with characters that XML does not have")
)

// The beginning of a message, before the namespace of its version and after it.
const (
	declaration = `<?xml version="1.0" encoding="utf-8"?>`
	prefixes    = ` xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:xsd="http://www.w3.org/2001/XMLSchema">`
)

func appendEnvelope(b []byte, version Version) []byte {
	b = append(b, declaration+`<soap:Envelope xmlns:soap="`...)
	b = append(b, version.Namespace()...)
	return append(b, `"`+prefixes...)
}

// AppendAnswer appends an answer to the operation, a pointer to its answer type, as the service
// writes it: in one line, in the order of the WSDL. Lists of errors, notices and observations are
// left out where they are empty, numbers never.
func AppendAnswer(b []byte, version Version, op *wsfev1.Operation, answer any, info Info) ([]byte, error) {
	v, err := valueOf(op, answer, false)
	if err != nil {
		return b, err
	}
	b = appendEnvelope(b, version)
	b = info.append(b)
	b = append(append(b, "<soap:Body><"...), op.Name...)
	b = append(append(b, `Response xmlns="`+Namespace+`"><`...), op.Name...)
	b = append(b, "Result"...)
	w := writer{answer: true}
	b = w.element(b, plans[op].answer, v, op.Name+"Result")
	b = append(append(b, "</"...), op.Name...)
	return append(b, "Response></soap:Body></soap:Envelope>"...), nil
}

// AppendRequest appends a request of the operation, a pointer to its request type, in the order
// of the WSDL. What was not sent is left out. The credentials are written. A text that XML cannot
// hold is an error: nothing else than what was meant may be sent.
func AppendRequest(b []byte, version Version, op *wsfev1.Operation, request any) ([]byte, error) {
	v, err := valueOf(op, request, true)
	if err != nil {
		return b, err
	}
	b = append(appendEnvelope(b, version), "<soap:Body><"...)
	b = append(append(b, op.Name...), ` xmlns="`+Namespace+`"`...)
	w := writer{}
	b = w.element(b, plans[op].request, v, op.Name)
	if w.lost != "" {
		return b, fmt.Errorf("soap: %s of %s: %w", w.lost, op.Name, ErrText)
	}
	return append(b, "</soap:Body></soap:Envelope>"...), nil
}

// valueOf returns the value behind a pointer to the operation's request or answer type.
func valueOf(op *wsfev1.Operation, message any, request bool) (typed.Value, error) {
	p, ok := plans[op]
	if !ok {
		return typed.Value{}, fmt.Errorf("soap: unknown operation: %w", ErrType)
	}
	shape := p.answer.shape
	if request {
		shape = p.request.shape
	}
	v, ok := typed.Of(shape, message)
	if !ok {
		return typed.Value{}, fmt.Errorf("soap: message of %s: %w", op.Name, ErrType)
	}
	return v, nil
}

// writer writes values by their plans.
type writer struct {
	// answer: numbers that were not sent are 0, and texts without characters are empty elements.
	answer bool
	// lost is the last member whose text XML cannot hold.
	lost string
}

// element appends the rest of an object's start tag, its members and its end tag.
func (w *writer) element(b []byte, p *plan, v typed.Value, name string) []byte {
	tag := len(b)
	b = append(b, '>')
	begin := len(b)
	b = w.members(b, p, v)
	if len(b) == begin {
		return append(b[:tag], " />"...)
	}
	return append(append(append(b, "</"...), name...), '>')
}

func (w *writer) members(b []byte, p *plan, v typed.Value) []byte {
	for _, i := range p.order {
		m := &p.members[i]
		b = w.member(b, m, v.Member(m.Member))
	}
	return b
}

func (w *writer) member(b []byte, m *member, v typed.Value) []byte {
	if m.Pointer {
		var there bool
		if v, there = v.Behind(); !there {
			return b
		}
	}
	switch m.Shape.Kind {
	case wsfev1.KindObject:
		begin := len(b)
		b = append(b, m.open...)
		inner := len(b)
		if b = w.members(b, m.plan, v); len(b) > inner {
			return append(b, m.closed...)
		}
		if b = b[:begin]; m.filled {
			return b
		}
		return append(b, m.empty...)
	case wsfev1.KindList:
		for i := range v.Len() {
			b = append(append(b, '<'), m.Name...)
			b = w.element(b, m.plan.item, v.Item(m.Shape, i), m.Name)
		}
		return b
	}
	return w.scalar(b, m, v)
}

func (w *writer) scalar(b []byte, m *member, v typed.Value) []byte {
	switch m.Shape.Kind {
	case wsfev1.KindText:
		text := v.Text()
		if text == "" {
			if !w.answer || m.absent {
				return b
			}
			return append(b, m.empty...)
		}
		if !w.answer && !xmlscan.Representable(text) {
			w.lost = m.Name
		}
		return append(xmlscan.AppendText(append(b, m.open...), text), m.closed...)
	case wsfev1.KindInteger:
		return append(strconv.AppendInt(append(b, m.open...), v.Integer(m.Shape.Bits), 10), m.closed...)
	}
	amount := *v.Amount()
	if !amount.Sent() && (!w.answer || m.optional) {
		return b
	}
	b = append(b, m.open...)
	if w.answer {
		amount = amount.Trim()
	}
	return append(w.amount(b, amount), m.closed...)
}

// amount appends the digits of an amount as they are. An exponent is resolved: some readers of
// the service's own numbers know none.
func (w *writer) amount(b []byte, amount wsfev1.Amount) []byte {
	from := len(b)
	b = amount.Append(b)
	for _, c := range b[from:] {
		if c|0x20 == 'e' {
			return w.resolved(b[:from], amount)
		}
	}
	return b
}

func (w *writer) resolved(b []byte, amount wsfev1.Amount) []byte {
	if amount.Exact() {
		return amount.Trim().Append(b)
	}
	double, err := strconv.ParseFloat(amount.String(), 64)
	if err != nil {
		return amount.Append(b) // no double, and the reader's to refuse
	}
	return strconv.AppendFloat(b, double, 'f', -1, 64)
}
