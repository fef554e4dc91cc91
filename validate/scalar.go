package validate

import (
	"bytes"
	"errors"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/fielato/fielato/internal/typed"
	"github.com/fielato/fielato/wsfev1"
)

// scalar sets v from a raw JSON number or string of the right kind.
func (d *decoder) scalar(shape *wsfev1.Shape, m *wsfev1.Member, v typed.Value, raw []byte) {
	switch shape.Kind {
	case wsfev1.KindText:
		d.text(v, raw)
	case wsfev1.KindInteger:
		d.integer(shape, v, raw)
	default:
		// The kind is right and the grammar was checked: nothing is left
		// that AmountFromJSON could refuse.
		if amount, err := wsfev1.AmountFromJSON(raw); err == nil {
			*v.Amount() = amount
			if m != nil && m.IntegerDigits > 0 && !amount.Fits(m.IntegerDigits, m.Decimals) {
				d.req.noteOverlong(d)
			}
		}
	}
}

func (d *decoder) text(v typed.Value, raw []byte) {
	if d.invalidUTF8 && !utf8.Valid(raw) {
		d.find(d.pointer(), shapeUTF8)
		return
	}
	inner := raw[1 : len(raw)-1]
	if bytes.IndexByte(inner, '\\') < 0 {
		d.checkCharacters(inner, false)
		v.SetText(d.keep(inner))
		return
	}
	// With invalid UTF-8 allowed, an escaped lone surrogate reads as U+FFFD: it
	// stands for no character and is refused like any other invalid text.
	unquoted, err := jsontext.AppendUnquote(nil, raw)
	if err != nil {
		d.find(d.pointer(), shapeUTF8)
		return
	}
	d.checkCharacters(unquoted, true)
	v.SetText(d.keep(unquoted))
}

// checkCharacters finds what XML has no form for: control characters, but for tab, line feed and carriage
// return, and the two that are no characters. The service speaks XML, so no one can send it such a text. Only
// an escape can stand for one of the former.
func (d *decoder) checkCharacters(text []byte, escapes bool) {
	if d.req == nil {
		return // an answer is not sent on to the service
	}
	isControl := func(c byte) bool { return c < ' ' && c != '\t' && c != '\n' && c != '\r' }
	if escapes && slices.ContainsFunc(text, isControl) || (escapes || d.noCharacters) && hasNoCharacter(text) {
		d.find(d.pointer(), shapeCharacter)
	}
}

// hasNoCharacter reports whether a text has one of the two code points that stand for no character.
func hasNoCharacter(text []byte) bool {
	return bytes.Contains(text, []byte("\uFFFE")) || bytes.Contains(text, []byte("\uFFFF"))
}

const (
	// maxShared bounds the texts that share an allocation, in bytes: a reference to one of
	// them keeps all of them alive. A ticket of the service is longer than that.
	maxShared = 64
	// minRoom and maxRoom are the sizes in bytes of the first such allocation and of
	// the largest: the texts of an invoice fill the one, a lot takes many.
	minRoom, maxRoom = 96, 1024
)

// keep returns a copy of a text. Short ones are cut from one larger allocation.
func (d *decoder) keep(text []byte) string {
	if len(text) > maxShared {
		return string(text)
	}
	if d.texts.Cap()-d.texts.Len() < len(text) {
		room := min(max(minRoom, 2*d.texts.Cap()), maxRoom)
		d.texts.Reset()
		d.texts.Grow(room)
	}
	start := d.texts.Len()
	d.texts.Write(text)
	return d.texts.String()[start:]
}

func (d *decoder) integer(shape *wsfev1.Shape, v typed.Value, raw []byte) {
	if n, ok := smallInteger(raw); ok && v.SetInteger(shape.Bits, n) {
		return
	}
	if bytes.ContainsAny(raw, ".eE") {
		d.find(d.pointer(), shapeFraction)
		return
	}
	n, err := strconv.ParseInt(string(raw), 10, shape.Bits)
	if errors.Is(err, strconv.ErrRange) {
		d.find(d.pointer(), shapeRange)
		return
	}
	v.SetInteger(shape.Bits, n)
}

// smallInteger reads up to 18 digits with an optional minus.
func smallInteger(raw []byte) (int64, bool) {
	digits := bytes.TrimPrefix(raw, []byte("-"))
	if len(digits) > 18 {
		return 0, false
	}
	var n int64
	for _, c := range digits {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int64(c-'0')
	}
	if len(digits) != len(raw) {
		n = -n
	}
	return n, true
}
