package wsfev1

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"strconv"
	"strings"
	"sync"
)

var (
	shapesMu sync.Mutex // guards shapes
	shapes   = map[reflect.Type]*Shape{}
)

// ShapeOf returns the shape of a type of this package, or nil for a type that the interface
// cannot hold. A shape is compiled once.
func ShapeOf(t reflect.Type) *Shape {
	s, err := compile(t)
	if err != nil {
		return nil
	}
	return s
}

// mustShape panics on a type that the interface cannot hold: that is a mistake in the table of
// types, all of which are compiled when the package is initialised.
func mustShape(t reflect.Type) *Shape {
	s, err := compile(t)
	if err != nil {
		panic(fmt.Sprintf("wsfev1: %v", err))
	}
	return s
}

// compile returns the shape of a type. A type that fails leaves nothing behind.
func compile(t reflect.Type) (*Shape, error) {
	if t == nil {
		return nil, errors.New("no type")
	}
	shapesMu.Lock()
	defer shapesMu.Unlock()
	if s, ok := shapes[t]; ok {
		return s, nil
	}
	c := compiler{}
	s, err := c.shape(t)
	if err != nil {
		return nil, err
	}
	maps.Copy(shapes, c)
	return s, nil
}

// compiler holds the shapes that one call of compile has made so far. shapesMu is held.
type compiler map[reflect.Type]*Shape

func (c compiler) shape(t reflect.Type) (*Shape, error) {
	if s, ok := shapes[t]; ok {
		return s, nil
	}
	if s, ok := c[t]; ok {
		return s, nil
	}
	s := &Shape{Type: t}
	c[t] = s
	var err error
	switch {
	case t == reflect.TypeFor[Amount]():
		s.Kind = KindAmount
	case t.Kind() == reflect.String:
		s.Kind = KindText
	case t.Kind() == reflect.Int16, t.Kind() == reflect.Int32, t.Kind() == reflect.Int64:
		s.Kind, s.Bits = KindInteger, t.Bits()
	case t.Kind() == reflect.Slice:
		s.Kind = KindList
		s.Item, err = c.shape(t.Elem())
	case t.Kind() == reflect.Struct:
		s.Kind = KindObject
		if err = c.addMembers(s, t, nil, 0); err == nil {
			err = s.index()
		}
	default:
		err = fmt.Errorf("type %s has no form on the wire", t)
	}
	return s, err
}

// addMembers appends the fields of a struct; the fields of an embedded struct stand
// where it is embedded, as the service's own type extension does.
func (c compiler) addMembers(s *Shape, t reflect.Type, path []int, base uintptr) error {
	if t.Kind() != reflect.Struct {
		return fmt.Errorf("%s is embedded and no struct", t)
	}
	for i := range t.NumField() {
		field := t.Field(i)
		index := append(append([]int(nil), path...), i)
		if field.Anonymous {
			if err := c.addMembers(s, field.Type, index, base+field.Offset); err != nil {
				return err
			}
			continue
		}
		m := Member{Name: field.Name, OmitZero: strings.Contains(field.Tag.Get("json"), "omitzero"), Index: index, Offset: base + field.Offset}
		ft := field.Type
		if ft.Kind() == reflect.Pointer {
			m.Pointer, ft = true, ft.Elem()
		}
		var err error
		if m.Shape, err = c.shape(ft); err != nil {
			return err
		}
		if err := m.parseTag(field.Tag.Get("wsfev1")); err != nil {
			return err
		}
		s.Members = append(s.Members, m)
	}
	return nil
}

func (s *Shape) index() error {
	if len(s.Members) > 64 {
		return fmt.Errorf("type %s has more than 64 members", s.Type)
	}
	s.byName = make(map[string]int, len(s.Members))
	for i, m := range s.Members {
		s.byName[m.Name] = i
		if m.Required {
			s.Required |= 1 << i
		}
		if m.Expected {
			s.Expected |= 1 << i
		}
	}
	return nil
}

func (m *Member) parseTag(tag string) error {
	if tag == "" {
		return nil
	}
	for option := range strings.SplitSeq(tag, ",") {
		if !m.mark(option) {
			return fmt.Errorf("bad tag %q of %s", tag, m.Name)
		}
	}
	return nil
}

// mark reads one option of a tag. It reports false for one that is none.
func (m *Member) mark(option string) bool {
	name, value, _ := strings.Cut(option, "=")
	switch {
	case option == "required":
		m.Required = true
	case option == "expected":
		m.Expected = true
	case option == "secret":
		m.Secret = true
	case option == "extension":
		m.Extension = true
	case name == "items":
		var err error
		m.MaxItems, err = strconv.Atoi(value)
		return err == nil && m.MaxItems >= 1 && m.Shape.Kind == KindList
	case name == "digits":
		whole, decimals, _ := strings.Cut(value, "+")
		var err1, err2 error
		m.IntegerDigits, err1 = strconv.Atoi(whole)
		m.Decimals, err2 = strconv.Atoi(decimals)
		return err1 == nil && err2 == nil
	default:
		return false
	}
	return true
}
