package wsfev1

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"sync"
)

// Kind is the JSON form of a value on the wire.
type Kind uint8

// The kinds of values that the interface knows (interface.md, conventions).
const (
	KindObject  Kind = iota // JSON object with named members
	KindList                // JSON array
	KindInteger             // JSON number without fraction or exponent
	KindAmount              // JSON number, exact decimal
	KindText                // JSON string
)

// String returns the JSON type's name: object, array, integer, number, string.
func (k Kind) String() string {
	return [...]string{"object", "array", "integer", "number", "string"}[k]
}

// Shape describes one JSON value of the interface. It is compiled from a Go
// type and its `wsfev1` struct tags, a comma-separated list of:
//
//	required    the member must be there: its absence is a finding of shape
//	expected    the member may be left out and then reads as 0 or no text, as the
//	            service reads it; that it was left out is remembered for the rules
//	secret      the value is a credential: never stored, logged or shown
//	extension   the live service has it, the twenty-operation contract does not
//	digits=I+D  the largest number of integer digits and of decimals
//	items=N     the largest number of items of a list
//
// Members whose Go type has no tag are optional. A Shape is immutable.
type Shape struct {
	Kind Kind
	// Bits is the size of an integer: 16, 32 or 64. All are signed.
	Bits int
	// Members are the members of an object, in the order of the service's
	// own definition; at most 64.
	Members []Member
	// Item is the shape of a list's items.
	Item *Shape
	// Type is the Go type that the value is decoded into.
	Type reflect.Type
	// Required and Expected hold one bit for each member so marked.
	Required, Expected uint64

	byName map[string]int
}

// Member is one named member of an object.
type Member struct {
	Name  string
	Shape *Shape
	// Index is the path of the field in the Go struct (reflect.Value.FieldByIndex).
	Index []int
	// Pointer: the Go field is a pointer, and nil means absent.
	Pointer   bool
	Required  bool
	Expected  bool
	Secret    bool
	Extension bool
	// IntegerDigits and Decimals bound an amount; both 0 where no bound is known.
	IntegerDigits, Decimals int
	// MaxItems bounds a list; 0 where no bound is known.
	MaxItems int
}

// Member returns the position in Members of the member with exactly this name.
func (s *Shape) Member(name []byte) (int, bool) {
	i, ok := s.byName[string(name)]
	return i, ok
}

// MemberFold returns the member whose name differs from name only in case.
func (s *Shape) MemberFold(name string) (int, bool) {
	for i := range s.Members {
		if strings.EqualFold(s.Members[i].Name, name) {
			return i, true
		}
	}
	return 0, false
}

var (
	shapesMu sync.Mutex // guards shapes
	shapes   = map[reflect.Type]*Shape{}
)

// ShapeOf compiles the shape of a type of this package. It panics on a type
// that the interface cannot hold: that is a mistake in the table of types, and
// every type is compiled when the package is initialised.
func ShapeOf(t reflect.Type) *Shape {
	shapesMu.Lock()
	defer shapesMu.Unlock()
	return shapeOf(t)
}

func shapeOf(t reflect.Type) *Shape {
	if s, ok := shapes[t]; ok {
		return s
	}
	s := &Shape{Type: t}
	shapes[t] = s
	switch {
	case t == reflect.TypeFor[Amount]():
		s.Kind = KindAmount
	case t.Kind() == reflect.String:
		s.Kind = KindText
	case t.Kind() == reflect.Int16, t.Kind() == reflect.Int32, t.Kind() == reflect.Int64:
		s.Kind, s.Bits = KindInteger, t.Bits()
	case t.Kind() == reflect.Slice:
		s.Kind, s.Item = KindList, shapeOf(t.Elem())
	case t.Kind() == reflect.Struct:
		s.Kind = KindObject
		s.addMembers(t, nil)
		s.index()
	default:
		panic(fmt.Sprintf("wsfev1: type %s has no form on the wire", t))
	}
	return s
}

// addMembers appends the fields of a struct; those of an embedded struct stand
// where it is embedded, as the service's own type extension does.
func (s *Shape) addMembers(t reflect.Type, path []int) {
	for i := range t.NumField() {
		field := t.Field(i)
		index := append(append([]int(nil), path...), i)
		if field.Anonymous {
			s.addMembers(field.Type, index)
			continue
		}
		m := Member{Name: field.Name, Index: index}
		ft := field.Type
		if ft.Kind() == reflect.Pointer {
			m.Pointer, ft = true, ft.Elem()
		}
		m.Shape = shapeOf(ft)
		m.parseTag(field.Tag.Get("wsfev1"))
		s.Members = append(s.Members, m)
	}
}

func (s *Shape) index() {
	if len(s.Members) > 64 {
		panic(fmt.Sprintf("wsfev1: type %s has more than 64 members", s.Type))
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
}

func (m *Member) parseTag(tag string) {
	if tag == "" {
		return
	}
	for option := range strings.SplitSeq(tag, ",") {
		switch {
		case option == "required":
			m.Required = true
		case option == "expected":
			m.Expected = true
		case option == "secret":
			m.Secret = true
		case option == "extension":
			m.Extension = true
		case strings.HasPrefix(option, "items="):
			var err error
			if m.MaxItems, err = strconv.Atoi(option[len("items="):]); err != nil || m.MaxItems < 1 || m.Shape.Kind != KindList {
				panic(fmt.Sprintf("wsfev1: bad tag %q of %s", tag, m.Name))
			}
		case strings.HasPrefix(option, "digits="):
			whole, decimals, ok := strings.Cut(option[len("digits="):], "+")
			var err1, err2 error
			m.IntegerDigits, err1 = strconv.Atoi(whole)
			m.Decimals, err2 = strconv.Atoi(decimals)
			if !ok || err1 != nil || err2 != nil {
				panic(fmt.Sprintf("wsfev1: bad tag %q of %s", tag, m.Name))
			}
		default:
			panic(fmt.Sprintf("wsfev1: bad tag %q of %s", tag, m.Name))
		}
	}
}

// ErrorBodyShape is that of ErrorBody.
var ErrorBodyShape = ShapeOf(reflect.TypeFor[ErrorBody]())
