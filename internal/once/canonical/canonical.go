package canonical

import (
	"reflect"
	"strconv"

	"github.com/fielato/fielato/internal/typed"
	"github.com/fielato/fielato/wsfev1"
)

var authType = reflect.TypeFor[wsfev1.Auth]()

// Append appends the canonical form of a typed request to b, the input of its
// fingerprint: all members except the credentials and the issuer. Equal figures (121 and
// 121.00) have one form, and so have absent and empty or zero if the type does not
// distinguish them. All else differs.
//
// It is not JSON because it is written for each request: writing a lot of 250 invoices as
// JSON takes longer than judging it. Fingerprints are kept in trails: with another form a
// repeat would look like a new request, so that it would need a number of its own (Forms).
func Append(b []byte, body any) []byte {
	shape := wsfev1.ShapeOf(reflect.TypeOf(body).Elem())
	v, _ := typed.Of(shape, body)
	return appendObject(b, shape, v)
}

// appendObject writes each name before its value, so that empty members can be left out.
func appendObject(b []byte, shape *wsfev1.Shape, v typed.Value) []byte {
	b = append(b, '{')
	for i := range shape.Members {
		m := &shape.Members[i]
		if m.Shape.Type == authType {
			continue
		}
		field := v.Member(m)
		if m.Pointer {
			var there bool
			if field, there = field.Behind(); !there {
				continue
			}
		} else if field.SaysNothing(m.Shape) {
			continue
		}
		b = append(b, m.Name...)
		b = append(b, ':')
		b = appendValue(b, m.Shape, field)
	}
	return append(b, '}')
}

func appendValue(b []byte, shape *wsfev1.Shape, v typed.Value) []byte {
	switch shape.Kind {
	case wsfev1.KindObject:
		return appendObject(b, shape, v)
	case wsfev1.KindList:
		b = append(b, '[')
		for i := range v.Len() {
			b = appendValue(b, shape.Item, v.Item(shape, i))
		}
		return append(b, ']')
	case wsfev1.KindAmount:
		b = v.Amount().Trim().Append(b)
	case wsfev1.KindInteger:
		b = strconv.AppendInt(b, v.Integer(shape.Bits), 10)
	case wsfev1.KindText:
		// With its length in front, no text can be taken for what surrounds it.
		text := v.Text()
		b = strconv.AppendInt(b, int64(len(text)), 10)
		b = append(b, '"')
		b = append(b, text...)
	}
	return append(b, ',')
}
