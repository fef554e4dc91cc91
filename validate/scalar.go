package validate

import (
	"bytes"
	"errors"
	"reflect"
	"strconv"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/fielato/fielato/wsfev1"
)

// scalar sets v from a raw JSON number or string of the right kind.
func (d *decoder) scalar(shape *wsfev1.Shape, v reflect.Value, raw []byte) {
	switch shape.Kind {
	case wsfev1.KindText:
		d.text(v, raw)
	case wsfev1.KindInteger:
		d.integer(shape, v, raw)
	default:
		// The kind is right and jsontext has checked the grammar: nothing is left
		// that AmountFromJSON could refuse.
		if amount, err := wsfev1.AmountFromJSON(raw); err == nil {
			*v.Addr().Interface().(*wsfev1.Amount) = amount
		}
	}
}

func (d *decoder) text(v reflect.Value, raw []byte) {
	if d.invalidUTF8 && !utf8.Valid(raw) {
		d.find(string(d.json.StackPointer()), shapeUTF8)
		return
	}
	inner := raw[1 : len(raw)-1]
	if bytes.IndexByte(inner, '\\') < 0 {
		v.SetString(string(inner))
		return
	}
	// With invalid UTF-8 allowed, an escaped lone surrogate reads as U+FFFD: it
	// stands for no character and is refused like any other invalid text.
	unquoted, err := jsontext.AppendUnquote(nil, raw)
	if err != nil {
		d.find(string(d.json.StackPointer()), shapeUTF8)
		return
	}
	v.SetString(string(unquoted))
}

func (d *decoder) integer(shape *wsfev1.Shape, v reflect.Value, raw []byte) {
	if n, ok := smallInteger(raw); ok && (shape.Bits == 64 || !v.OverflowInt(n)) {
		v.SetInt(n)
		return
	}
	if bytes.ContainsAny(raw, ".eE") {
		d.find(string(d.json.StackPointer()), shapeFraction)
		return
	}
	n, err := strconv.ParseInt(string(raw), 10, shape.Bits)
	if errors.Is(err, strconv.ErrRange) {
		d.find(string(d.json.StackPointer()), shapeRange)
		return
	}
	v.SetInt(n)
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
