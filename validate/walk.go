package validate

import (
	"reflect"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/fielato/fielato/wsfev1"
)

// value reads the next value, which is not null, into v.
func (d *decoder) value(shape *wsfev1.Shape, v reflect.Value) error {
	kind := d.json.PeekKind()
	if !fits(shape.Kind, kind) {
		if kind == 0 {
			_, err := d.json.ReadToken()
			return err
		}
		if err := d.skip(); err != nil {
			return err
		}
		d.findKind(string(d.json.StackPointer()), shape.Kind, kind)
		return nil
	}
	switch shape.Kind {
	case wsfev1.KindObject:
		return d.object(shape, v)
	case wsfev1.KindList:
		return d.list(shape, v)
	}
	raw, err := d.json.ReadValue()
	if err != nil {
		return err
	}
	d.scalar(shape, v, raw)
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
	if _, err := d.json.ReadToken(); err != nil {
		return err
	}
	var marks marks
	for d.json.PeekKind() != '}' {
		raw, err := d.json.ReadValue()
		if err != nil {
			return err
		}
		i, ok := d.member(shape, raw, &marks)
		if !ok {
			if err := d.skip(); err != nil {
				return err
			}
			continue
		}
		if d.json.PeekKind() == 'n' {
			if _, err := d.json.ReadToken(); err != nil {
				return err
			}
			marks.present &^= 1 << i
			continue
		}
		m := &shape.Members[i]
		if err := d.value(m.Shape, field(v, m)); err != nil {
			return err
		}
	}
	if _, err := d.json.ReadToken(); err != nil {
		return err
	}
	if missing := (shape.Required | shape.Expected) &^ marks.present; missing != 0 {
		d.missing(shape, missing)
	}
	return nil
}

// field returns the struct field of a member; one behind a pointer is made.
func field(v reflect.Value, m *wsfev1.Member) reflect.Value {
	f := v.Field(m.Index[0])
	if len(m.Index) > 1 {
		f = v.FieldByIndex(m.Index)
	}
	if m.Pointer {
		f.Set(reflect.New(f.Type().Elem()))
		f = f.Elem()
	}
	return f
}

func (d *decoder) list(shape *wsfev1.Shape, v reflect.Value) error {
	if _, err := d.json.ReadToken(); err != nil {
		return err
	}
	v.Set(reflect.MakeSlice(shape.Type, 0, 0))
	for n := 0; d.json.PeekKind() != ']'; n++ {
		if n == v.Cap() {
			v.Grow(1)
		}
		v.SetLen(n + 1)
		if err := d.value(shape.Item, v.Index(n)); err != nil {
			return err
		}
	}
	_, err := d.json.ReadToken()
	return err
}

// skip reads over a value that is not wanted, however it is made, but not
// deeper than maxDepth.
func (d *decoder) skip() error {
	start := d.json.StackDepth()
	for {
		token, err := d.json.ReadToken()
		if err != nil {
			return err
		}
		if d.json.StackDepth() > maxDepth {
			d.find(string(d.json.StackPointer()), shapeDepth)
			return errStop
		}
		if k := token.Kind(); d.json.StackDepth() == start && k != '{' && k != '[' {
			return nil
		}
	}
}
