package canonical_test

import (
	"reflect"
	"strconv"

	"github.com/fielato/fielato/wsfev1"
)

// byReflection is the canonical form as the first build of this form wrote it: fingerprints in trails are made of it.
func byReflection(body any) []byte {
	v := reflect.ValueOf(body).Elem()
	return objectByReflection(nil, wsfev1.ShapeOf(v.Type()), v)
}

// objectByReflection writes each name before its value, so that empty members can be left out.
func objectByReflection(b []byte, shape *wsfev1.Shape, v reflect.Value) []byte {
	b = append(b, '{')
	for i := range shape.Members {
		m := &shape.Members[i]
		if m.Shape.Type == reflect.TypeFor[wsfev1.Auth]() {
			continue
		}
		field := v
		for _, step := range m.Index {
			field = field.Field(step)
		}
		if isLeftOut(m, field) {
			continue
		}
		if m.Pointer {
			field = field.Elem()
		}
		b = append(b, m.Name...)
		b = append(b, ':')
		b = valueByReflection(b, m.Shape, field)
	}
	return append(b, '}')
}

func isLeftOut(m *wsfev1.Member, v reflect.Value) bool {
	switch {
	case m.Pointer:
		return v.IsNil()
	case m.Shape.Kind == wsfev1.KindList:
		return v.Len() == 0
	}
	return m.Shape.Kind != wsfev1.KindObject && v.IsZero()
}

func valueByReflection(b []byte, shape *wsfev1.Shape, v reflect.Value) []byte {
	switch shape.Kind {
	case wsfev1.KindObject:
		return objectByReflection(b, shape, v)
	case wsfev1.KindList:
		b = append(b, '[')
		for i := range v.Len() {
			b = valueByReflection(b, shape.Item, v.Index(i))
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
