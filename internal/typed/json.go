package typed

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/fielato/fielato/wsfev1"
)

// AppendJSON appends a value of this shape as package json writes it, byte for byte: with the credentials, and
// without the members that `omitzero` leaves out. An error tells of a text that is not UTF-8, and b is then as it was.
func AppendJSON(b []byte, shape *wsfev1.Shape, v Value) ([]byte, error) {
	w := writer{b: b}
	w.value(shape, v)
	if w.err != nil {
		return b, fmt.Errorf("writing %s as JSON: %w", shape.Type, w.err)
	}
	return w.b, nil
}

// JSON returns a message as AppendJSON writes it. message points to a type of package wsfev1; of any other, package
// json writes it.
func JSON(message any) ([]byte, error) {
	if t := reflect.TypeOf(message); t != nil && t.Kind() == reflect.Pointer && t.Elem().PkgPath() == ours {
		shape := wsfev1.ShapeOf(t.Elem())
		if v, ok := Of(shape, message); ok {
			return AppendJSON(make([]byte, 0, usualBytes), shape, v)
		}
	}
	return json.Marshal(message)
}

// ours is the package whose types have members with the names of their fields. Other types may have a shape too,
// and names of their own in JSON.
var ours = reflect.TypeFor[wsfev1.Auth]().PkgPath()

// usualBytes is room for the answer to one invoice.
const usualBytes = 512

// writer writes values to the end of b, up to the first error.
type writer struct {
	b   []byte
	err error
}

func (w *writer) value(shape *wsfev1.Shape, v Value) {
	switch shape.Kind {
	case wsfev1.KindObject:
		w.object(shape, v)
	case wsfev1.KindList:
		w.b = append(w.b, '[')
		start, n := len(w.b), v.Len()
		for i := range n {
			if i == 1 { // the others are about as long as the first one
				w.b = slices.Grow(w.b, (len(w.b)-start+3)*(n-1))
			}
			if i > 0 {
				w.b = append(w.b, ',')
			}
			w.value(shape.Item, v.Item(shape, i))
		}
		w.b = append(w.b, ']')
	case wsfev1.KindInteger:
		w.b = strconv.AppendInt(w.b, v.Integer(shape.Bits), 10)
	case wsfev1.KindAmount:
		w.b = v.Amount().Append(w.b)
	case wsfev1.KindText:
		w.text(v.Text())
	}
}

func (w *writer) object(shape *wsfev1.Shape, v Value) {
	w.b = append(w.b, '{')
	first := true
	for i := range shape.Members {
		m := &shape.Members[i]
		field := v.Member(m)
		if m.OmitZero && field.isLeftOut(m) {
			continue
		}
		if !first {
			w.b = append(w.b, ',')
		}
		first = false
		w.b = append(append(append(w.b, '"'), m.Name...), `":`...)
		if m.Pointer {
			var there bool
			if field, there = field.Behind(); !there {
				w.b = append(w.b, "null"...)
				continue
			}
		}
		w.value(m.Shape, field)
	}
	w.b = append(w.b, '}')
}

// isLeftOut reports whether `omitzero` leaves a member out.
func (v Value) isLeftOut(m *wsfev1.Member) bool {
	switch {
	case m.Pointer:
		_, there := v.Behind()
		return !there
	case m.Shape.Kind == wsfev1.KindList:
		return v.isNil()
	case m.Shape.Kind == wsfev1.KindObject:
		return v.Reflect(m.Shape).IsZero()
	}
	return v.SaysNothing(m.Shape)
}

// text writes a JSON string. Nearly all texts are written as they are.
func (w *writer) text(text string) {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c == '"' || c == '\\' || c > '~' {
			var err error
			if w.b, err = jsontext.AppendQuote(w.b, text); err != nil && w.err == nil {
				w.err = err
			}
			return
		}
	}
	w.b = append(append(append(w.b, '"'), text...), '"')
}
