package once

import (
	"reflect"
	"strconv"

	"github.com/fielato/fielato/wsfev1"
)

var authType = reflect.TypeFor[wsfev1.Auth]()

// AppendCanonical appends the canonical form of a typed request to b, the input of its
// fingerprint: all members except the credentials and the issuer. Equal figures (121 and
// 121.00) have one form, and so have absent and empty or zero if the type does not
// distinguish them. All else differs.
//
// It is not JSON because it is written for each request: writing a lot of 250 invoices as
// JSON takes longer than judging it. Fingerprints are kept in trails: with another form a
// repeat would look like a new request, so that it would need a number of its own (Forms).
func AppendCanonical(b []byte, body any) []byte {
	v := reflect.ValueOf(body).Elem()
	return appendObject(b, wsfev1.ShapeOf(v.Type()), v)
}

// appendObject writes each name before its value, so that empty members can be left out.
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
