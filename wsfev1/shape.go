package wsfev1

import (
	"reflect"
	"strings"
)

// Kind is the JSON form of a value on the wire.
type Kind uint8

// The kinds of values that the interface knows (docs/sources.md#contract).
const (
	KindObject  Kind = iota // JSON object with named members
	KindList                // JSON array
	KindInteger             // JSON number without fraction or exponent
	KindAmount              // JSON number, exact decimal
	KindText                // JSON string
)

// String returns the JSON type's name: object, array, integer, number, string.
func (k Kind) String() string {
	names := [...]string{"object", "array", "integer", "number", "string"}
	if int(k) >= len(names) {
		return "unknown"
	}
	return names[k]
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
	// Offset is where the field begins in the Go struct, in bytes.
	Offset uintptr
	// Pointer: the Go field is a pointer, and nil means absent.
	Pointer   bool
	Required  bool
	Expected  bool
	Secret    bool
	Extension bool
	// OmitZero: package json leaves the member out where it is zero.
	OmitZero bool
	// IntegerDigits and Decimals bound an amount; both 0 where no bound is known.
	IntegerDigits, Decimals int
	// MaxItems bounds a list; 0 where no bound is known.
	MaxItems int
}

// Member returns the position in Members of the member with exactly this name.
func (s *Shape) Member(name []byte) (int, bool) {
	if s == nil {
		return 0, false
	}
	i, ok := s.byName[string(name)]
	return i, ok
}

// MemberFold returns the member whose name differs from name only in case.
func (s *Shape) MemberFold(name string) (int, bool) {
	if s == nil {
		return 0, false
	}
	for i := range s.Members {
		if strings.EqualFold(s.Members[i].Name, name) {
			return i, true
		}
	}
	return 0, false
}

// ErrorBodyShape is the shape of ErrorBody.
var ErrorBodyShape = mustShape(reflect.TypeFor[ErrorBody]())
