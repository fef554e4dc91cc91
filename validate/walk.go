package validate

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/fielato/fielato/internal/typed"
	"github.com/fielato/fielato/wsfev1"
)

// next moves to the token that comes next and returns its kind, 0 where the
// readable part of the body ends. It passes over any delimiters: package json has checked
// that the right ones are there.
func (d *decoder) next() jsontext.Kind {
	for ; d.at < d.end; d.at++ {
		switch d.body[d.at] {
		case ',', ':', ' ', '\n', '\t', '\r':
		default:
			return kindOf(d.body[d.at])
		}
	}
	return 0
}

// begin moves to the value that comes next and returns its kind, 0 where there is none.
func (d *decoder) begin() jsontext.Kind { return kindOf(d.passBlanks()) }

// passBlanks passes over white space and returns the byte behind it, 0 at the end of the readable part.
func (d *decoder) passBlanks() byte {
	for ; d.at < d.end; d.at++ {
		if c := d.body[d.at]; c > ' ' || c != ' ' && c != '\n' && c != '\t' && c != '\r' {
			return c
		}
	}
	return 0
}

// follow moves to the first member of an object or item of a list, or over the comma to one that is not the
// first, and returns its kind; or closing, if that is what comes next.
func (d *decoder) follow(first bool, closing byte) jsontext.Kind {
	c := d.passBlanks()
	if c == closing {
		return jsontext.Kind(closing)
	}
	if !first {
		if c != ',' {
			return 0
		}
		d.at++
		if c = d.passBlanks(); c == closing {
			return 0
		}
	}
	return kindOf(c)
}

// colon moves over the colon behind a name and returns the kind of the value.
func (d *decoder) colon() jsontext.Kind {
	if d.passBlanks() != ':' {
		return 0
	}
	d.at++
	return d.begin()
}

// kindOf returns the kind of the token that begins with a byte, as package json names kinds.
func kindOf(c byte) jsontext.Kind {
	if c == '-' || c >= '0' && c <= '9' {
		return '0'
	}
	return jsontext.Kind(c)
}

// value reads the value to which next moved into v. m is the member that it belongs to,
// or nil.
func (d *decoder) value(shape *wsfev1.Shape, m *wsfev1.Member, v typed.Value, kind jsontext.Kind) error {
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
	raw := d.token(kind)
	if raw == nil {
		return d.syntax
	}
	d.scalar(shape, m, v, raw)
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

func (d *decoder) object(shape *wsfev1.Shape, v typed.Value) error {
	d.token('{')
	d.depth++
	var marks marks
	for first := true; ; first = false {
		kind := d.follow(first, '}')
		if kind == '}' {
			break
		}
		if kind != '"' {
			return d.syntax
		}
		i, ok := d.member(shape, &marks)
		kind = d.colon()
		if !ok {
			if err := d.skip(kind); err != nil {
				return err
			}
			continue
		}
		if kind == 'n' {
			if d.token(kind) == nil {
				return d.syntax
			}
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

// field returns the field of a member; one behind a pointer is made.
func field(v typed.Value, m *wsfev1.Member) typed.Value {
	v = v.Member(m)
	if m.Pointer {
		return v.Make(m.Shape)
	}
	return v
}

// skip reads over the value to which next moved, however it is made, but not
// deeper than maxDepth. It relies on package json for the grammar.
func (d *decoder) skip(kind jsontext.Kind) error {
	if !d.checked {
		return errOdd
	}
	for depth := d.depth; ; kind = d.next() {
		switch kind {
		case 0:
			return d.syntax
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		}
		if d.token(kind) == nil {
			return d.syntax
		}
		if depth > maxDepth {
			d.find(d.pointer(), shapeDepth)
			return errStop
		}
		if depth == d.depth {
			return nil
		}
	}
}
