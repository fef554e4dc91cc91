package once

import (
	"reflect"
	"strconv"

	"github.com/fielato/fielato/wsfev1"
)

var authType = reflect.TypeFor[wsfev1.Auth]()

// AppendCanonical appends what a fingerprint is made of to b: all that a typed request says,
// without its credentials and its issuer. It is the same for figures that are the same (121
// and 121.00), and where a type does not tell absent from empty or zero; else it differs.
//
// It is a form of its own and not JSON, since it is written for each request: of a lot of 250
// invoices JSON takes longer to write than the rules take to judge. Fingerprints are kept in
// trails: another form would make what was sent before look like another request.
func AppendCanonical(b []byte, body any) []byte {
	v := reflect.ValueOf(body).Elem()
	return appendObject(b, wsfev1.ShapeOf(v.Type()), v)
}

// appendObject names each member before its value, so that those which say nothing can be
// left out.
func appendObject(b []byte, shape *wsfev1.Shape, v reflect.Value) []byte {
	b = append(b, '{')
	for i := range shape.Members {
		m := &shape.Members[i]
		if m.Shape.Type == authType {
			continue
		}
		field := v
		for _, step := range m.Index {
			field = field.Field(step)
		}
		if saysNothing(m, field) {
			continue
		}
		if m.Pointer {
			field = field.Elem()
		}
		b = append(b, m.Name...)
		b = append(b, ':')
		b = appendValue(b, m.Shape, field)
	}
	return append(b, '}')
}

func saysNothing(m *wsfev1.Member, v reflect.Value) bool {
	switch {
	case m.Pointer:
		return v.IsNil()
	case m.Shape.Kind == wsfev1.KindList:
		return v.Len() == 0
	}
	return m.Shape.Kind != wsfev1.KindObject && v.IsZero()
}

func appendValue(b []byte, shape *wsfev1.Shape, v reflect.Value) []byte {
	switch shape.Kind {
	case wsfev1.KindObject:
		return appendObject(b, shape, v)
	case wsfev1.KindList:
		b = append(b, '[')
		for i := range v.Len() {
			b = appendValue(b, shape.Item, v.Index(i))
		}
		return append(b, ']')
	case wsfev1.KindAmount:
		b = v.Addr().Interface().(*wsfev1.Amount).Trim().Append(b)
	case wsfev1.KindInteger:
		b = strconv.AppendInt(b, v.Int(), 10)
	case wsfev1.KindText:
		// With its length in front, no text can be taken for what surrounds it.
		text := v.String()
		b = strconv.AppendInt(b, int64(len(text)), 10)
		b = append(b, '"')
		b = append(b, text...)
	}
	return append(b, ',')
}
