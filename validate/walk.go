package validate

import (
	"bytes"
	"reflect"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/fielato/fielato/wsfev1"
)

// next moves to the token that comes next and returns its kind, 0 where the
// readable part of the body ends. It passes over any delimiters: json has checked
// that the right ones are there.
func (d *decoder) next() jsontext.Kind {
	for ; d.at < d.end; d.at++ {
		switch c := d.body[d.at]; c {
		case ',', ':', ' ', '\n', '\t', '\r':
		case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
			return '0'
		default:
			return jsontext.Kind(c)
		}
	}
	return 0
}

// token reads the token to which next moved and returns its bytes.
func (d *decoder) token(kind jsontext.Kind) []byte {
	start := d.at
	rest := d.body[start:d.end]
	switch kind {
	case '"':
		d.at += stringLen(rest)
	case '0':
		n := 1
		for n < len(rest) && isNumeric(rest[n]) {
			n++
		}
		d.at += n
	case 'n', 't':
		d.at += len("null")
	case 'f':
		d.at += len("false")
	default:
		d.at++
	}
	return d.body[start:d.at]
}

// stringLen returns the length of the string with which text begins. Most strings
// are so short that a call of IndexByte costs more than looking at each byte.
func stringLen(text []byte) int {
	for n, c := range text[:min(len(text), 24)] {
		if c == '"' && n > 0 {
			return n + 1
		}
		if c == '\\' {
			break
		}
	}
	n := 1 + bytes.IndexByte(text[1:], '"')
	if bytes.IndexByte(text[:n], '\\') < 0 {
		return n + 1
	}
	for n = 1; text[n] != '"'; n++ {
		if text[n] == '\\' {
			n++
		}
	}
	return n + 1
}

func isNumeric(c byte) bool {
	return c >= '0' && c <= '9' || c == '.' || c == '-' || c == '+' || c == 'e' || c == 'E'
}

// value reads the value to which next moved into v. m is the member that it belongs to,
// or nil.
func (d *decoder) value(shape *wsfev1.Shape, m *wsfev1.Member, v reflect.Value, kind jsontext.Kind) error {
	if !fits(shape.Kind, kind) {
		start := d.at
		if err := d.skip(kind); err != nil || kind == 0 {
			return err
		}
		d.findKind(d.pointer(), m, shape.Kind, kind, d.body[start:d.at])
		return nil
	}
	switch shape.Kind {
	case wsfev1.KindObject:
		return d.object(shape, v)
	case wsfev1.KindList:
		return d.list(shape, m, v)
	}
	d.scalar(shape, m, v, d.token(kind))
	return nil
}

func fits(want wsfev1.Kind, got jsontext.Kind) bool {
	switch want {
	case wsfev1.KindObject:
		return got == '{'
	case wsfev1.KindList:
		return got == '['
	case wsfev1.KindText:
		return got == '"'
	default:
		return got == '0'
	}
}

// marks holds one bit for each member of the object that is being read.
type marks struct {
	// seen are the members that were named, present those that are not missing:
	// a null is named and missing, a name in the wrong case is neither.
	seen, present uint64
	// next is the member that comes next in the order of the definition, in
	// which most clients write: looking there first spares the look-up by name.
	next int
}

func (d *decoder) object(shape *wsfev1.Shape, v reflect.Value) error {
	d.token('{')
	d.depth++
	var marks marks
	for {
		kind := d.next()
		if kind == 0 {
			return d.syntax
		}
		if kind == '}' {
			break
		}
		i, ok := d.member(shape, &marks)
		kind = d.next()
		if !ok {
			if err := d.skip(kind); err != nil {
				return err
			}
			continue
		}
		if kind == 'n' {
			d.token(kind)
			marks.present &^= 1 << i
			continue
		}
		m := &shape.Members[i]
		if err := d.value(m.Shape, m, field(v, m), kind); err != nil {
			return err
		}
	}
	d.token('}')
	d.depth--
	if missing := shape.Required &^ marks.present; missing != 0 {
		d.missing(shape, missing)
	}
	if absent := shape.Expected &^ marks.present; absent != 0 {
		d.req.leaveOut(d, shape, absent)
	}
	return nil
}

// field returns the struct field of a member; one behind a pointer is made.
func field(v reflect.Value, m *wsfev1.Member) reflect.Value {
	for _, i := range m.Index {
		v = v.Field(i)
	}
	if m.Pointer {
		made := reflect.New(m.Shape.Type)
		v.Set(made)
		v = made.Elem()
	}
	return v
}

// skip reads over the value to which next moved, however it is made, but not
// deeper than maxDepth.
func (d *decoder) skip(kind jsontext.Kind) error {
	for depth := d.depth; ; kind = d.next() {
		switch kind {
		case 0:
			return d.syntax
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		}
		d.token(kind)
		if depth > maxDepth {
			d.find(d.pointer(), shapeDepth)
			return errStop
		}
		if depth == d.depth {
			return nil
		}
	}
}
