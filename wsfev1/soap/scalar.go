package soap

import (
	"bytes"
	"errors"
	"strconv"

	"github.com/fielato/fielato/internal/typed"
	"github.com/fielato/fielato/internal/xmlscan"
	"github.com/fielato/fielato/wsfev1"
	"github.com/fielato/fielato/wsfev1/soap/internal/double"
)

// scalar reads a number or a text into v, to the end tag.
func (d *decoder) scalar(shape *wsfev1.Shape, m *member, v typed.Value) error {
	text, ok, err := d.content(shape.Kind)
	if err != nil || !ok {
		return err
	}
	if shape.Kind == wsfev1.KindText {
		v.SetText(d.keep(text))
		return nil
	}
	number := xmlscan.TrimSpace(text)
	if len(number) != len(text) {
		d.found |= ConstructNumber
	}
	if shape.Kind == wsfev1.KindInteger {
		d.integer(shape, v, number)
	} else {
		d.double(m, v, number)
	}
	return nil
}

// content reads the text of an element, to its end tag. It reports false for one that has
// elements. The text holds until the next one is read.
func (d *decoder) content(kind wsfev1.Kind) (text []byte, ok bool, err error) {
	d.pieces = d.pieces[:0]
	for n := 0; ; n++ {
		token, err := d.scan.Next()
		if err != nil {
			return nil, false, err
		}
		switch token {
		case xmlscan.End:
			return text, true, nil
		case xmlscan.Start:
			d.findKind(kind, gotElements)
			return nil, false, d.scan.Leave(d.scan.Depth() - 1)
		}
		if n == 0 && d.scan.Plain() {
			text = d.scan.Text(nil)
			continue
		}
		if n == 1 && len(d.pieces) == 0 {
			d.pieces = append(d.pieces, text...)
		}
		if d.scan.Plain() {
			d.pieces = append(d.pieces, d.scan.Text(nil)...)
		} else {
			d.escaped(kind)
			d.pieces = d.scan.Text(d.pieces)
		}
		text = d.pieces
	}
}

// escaped notes what a text with entities, references or carriage returns means to others.
func (d *decoder) escaped(kind wsfev1.Kind) {
	if kind != wsfev1.KindText {
		d.found |= ConstructNumber
	}
	if d.scan.Returns() {
		d.found |= ConstructLineEnd
	}
}

// integer sets v from digits with an optional sign. Leading zeros count for nothing.
func (d *decoder) integer(shape *wsfev1.Shape, v typed.Value, text []byte) {
	if n, ok := shortInteger(text); ok && text[0] != '+' && v.SetInteger(shape.Bits, n) {
		return
	}
	d.found |= ConstructNumber
	if len(text) == 0 {
		d.findKind(wsfev1.KindInteger, gotNothing)
		return
	}
	if !double.Is(text) {
		d.findKind(wsfev1.KindInteger, gotText)
		return
	}
	if bytes.ContainsAny(text, ".eE") {
		d.find(CodeFraction)
		return
	}
	n, err := strconv.ParseInt(string(text), 10, shape.Bits)
	if errors.Is(err, strconv.ErrRange) {
		d.find(CodeRange).limit = "an Int" + strconv.Itoa(shape.Bits)
		return
	}
	v.SetInteger(shape.Bits, n)
}

// shortInteger reads up to 18 digits with an optional sign.
func shortInteger(text []byte) (int64, bool) {
	digits := text
	if len(digits) > 0 && (digits[0] == '-' || digits[0] == '+') {
		digits = digits[1:]
	}
	if len(digits) == 0 || len(digits) > 18 {
		return 0, false
	}
	var n int64
	for _, c := range digits {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int64(c-'0')
	}
	if text[0] == '-' {
		n = -n
	}
	return n, true
}

func (d *decoder) double(m *member, v typed.Value, text []byte) {
	if !double.IsCommon(text) {
		d.found |= ConstructNumber
	}
	amount, number, err := double.Read(d.number, text)
	d.number = number
	switch {
	case errors.Is(err, strconv.ErrRange):
		d.find(CodeRange).limit = "a Double"
	case err != nil && len(text) == 0:
		d.findKind(wsfev1.KindAmount, gotNothing)
	case err != nil:
		d.findKind(wsfev1.KindAmount, gotText)
	default:
		*v.Amount() = amount
		if d.req != nil && m != nil && m.IntegerDigits > 0 && !amount.Fits(m.IntegerDigits, m.Decimals) && len(d.req.Overlong) < MaxFindings {
			pointer, _ := place("", d.steps[:d.level])
			d.req.Overlong = append(d.req.Overlong, pointer)
		}
	}
}

const (
	// maxShared bounds the texts that share an allocation, in bytes: a reference to one of
	// them keeps all of them alive.
	maxShared = 64
	// minRoom and maxRoom are the sizes in bytes of the first such allocation and of the largest.
	minRoom, maxRoom = 96, 1024
)

// keep returns a copy of a text. Short ones are cut from one larger allocation.
func (d *decoder) keep(text []byte) string {
	if len(text) > maxShared {
		return string(text)
	}
	if d.strings.Cap()-d.strings.Len() < len(text) {
		room := min(max(minRoom, 2*d.strings.Cap()), maxRoom)
		d.strings.Reset()
		d.strings.Grow(room)
	}
	start := d.strings.Len()
	d.strings.Write(text)
	return d.strings.String()[start:]
}
