// Package typed reads and writes requests and answers by their shapes. It is package reflect for these
// types alone: a lot has thousands of members, and looking at each through reflect takes longer than reading
// its text.
//
// All use of package unsafe is here. It is sound because a Value comes from Of, which checks the type, or from a
// Value by a shape of that type: the offsets and sizes are the compiler's own (wsfev1.Member.Offset), and the garbage
// collector follows the pointer as any other. The caller passes the shape that belongs to the value; with another
// one it would read other memory. The tests hold each kind and each operation's types against reflect.
package typed

import (
	"reflect"
	"unsafe"

	"github.com/fielato/fielato/wsfev1"
)

// Value is a value of a type of package wsfev1: an object, a list or a scalar. It is a pointer to it, so that
// writing to a copy of a Value writes to the same message.
type Value struct{ at unsafe.Pointer }

// Of returns the value that message points to, false if that is not of the shape's type.
func Of(shape *wsfev1.Shape, message any) (Value, bool) {
	v := reflect.ValueOf(message)
	if shape == nil || v.Kind() != reflect.Pointer || v.IsNil() || v.Type().Elem() != shape.Type {
		return Value{}, false
	}
	return Value{v.UnsafePointer()}, true
}

// Member returns the field of an object's member. Where the field is a pointer (m.Pointer), it is that pointer.
func (v Value) Member(m *wsfev1.Member) Value { return Value{unsafe.Add(v.at, m.Offset)} }

// Behind returns what a field that is a pointer points to, false if it is nil.
func (v Value) Behind() (Value, bool) {
	at := *(*unsafe.Pointer)(v.at)
	return Value{at}, at != nil
}

// Make sets a field that is a pointer to a new value of this shape, and returns that value.
func (v Value) Make(shape *wsfev1.Shape) Value {
	made := reflect.New(shape.Type).UnsafePointer()
	*(*unsafe.Pointer)(v.at) = made
	return Value{made}
}

// Clear sets a value of this shape to its zero.
func (v Value) Clear(shape *wsfev1.Shape) { v.Reflect(shape).SetZero() }

// Set sets a value of this shape to another one, and shares what that points to.
func (v Value) Set(shape *wsfev1.Shape, to Value) {
	v.Reflect(shape).Set(to.Reflect(shape))
}

// Copy returns a new value of this shape that is equal, and shares what it points to.
func (v Value) Copy(shape *wsfev1.Shape) Value {
	made := Value{reflect.New(shape.Type).UnsafePointer()}
	made.Set(shape, v)
	return made
}

// Text returns a text.
func (v Value) Text() string { return *(*string)(v.at) }

// SetText sets a text.
func (v Value) SetText(text string) { *(*string)(v.at) = text }

// Amount returns where an amount is.
func (v Value) Amount() *wsfev1.Amount { return (*wsfev1.Amount)(v.at) }

// Integer returns an integer of so many bits.
func (v Value) Integer(bits int) int64 {
	switch bits {
	case 16:
		return int64(*(*int16)(v.at))
	case 32:
		return int64(*(*int32)(v.at))
	}
	return *(*int64)(v.at)
}

// SetInteger sets an integer of so many bits. It reports false, and sets nothing, if the number does not fit.
func (v Value) SetInteger(bits int, n int64) bool {
	switch bits {
	case 16:
		if n != int64(int16(n)) {
			return false
		}
		*(*int16)(v.at) = int16(n)
	case 32:
		if n != int64(int32(n)) {
			return false
		}
		*(*int32)(v.at) = int32(n)
	default:
		*(*int64)(v.at) = n
	}
	return true
}

// SaysNothing reports whether a scalar is no text, 0 or an amount that was not sent, or a list has no items. An object
// says something, even if nothing is in it.
func (v Value) SaysNothing(shape *wsfev1.Shape) bool {
	switch shape.Kind {
	case wsfev1.KindList:
		return v.Len() == 0
	case wsfev1.KindText:
		return v.Text() == ""
	case wsfev1.KindInteger:
		return v.Integer(shape.Bits) == 0
	case wsfev1.KindAmount:
		return v.Amount().IsZero()
	}
	return false
}

// Len returns the number of items of a list.
func (v Value) Len() int { return len(*(*[]struct{})(v.at)) }

// isNil reports whether a list was never made.
func (v Value) isNil() bool { return *(*unsafe.Pointer)(v.at) == nil }

// Item returns an item of a list of this shape. It must be one of the list's.
func (v Value) Item(list *wsfev1.Shape, i int) Value {
	return Value{unsafe.Add(*(*unsafe.Pointer)(v.at), uintptr(i)*list.Item.Type.Size())}
}

// Reflect returns a value of this shape as reflect has it, such as a list to make it longer.
func (v Value) Reflect(shape *wsfev1.Shape) reflect.Value {
	return reflect.NewAt(shape.Type, v.at).Elem()
}
