package wsfev1

import (
	"maps"
	"slices"
)

// Class is the class of a voucher type: it decides which rules apply
// (docs/sources.md#classes).
type Class string

// The classes. ClassALEY is class A with the legend "Operación Sujeta a
// Retención", which was called M; Class49 is the purchase of used goods.
const (
	ClassA    Class = "A"
	ClassB    Class = "B"
	ClassC    Class = "C"
	ClassALEY Class = "ALEY"
	Class49   Class = "49"
)

type voucherType struct {
	class              Class
	fce, debit, credit bool
}

var voucherTypes = map[int32]voucherType{
	1: {class: ClassA}, 2: {class: ClassA, debit: true}, 3: {class: ClassA, credit: true},
	4: {class: ClassA}, 5: {class: ClassA}, 34: {class: ClassA}, 39: {class: ClassA},
	60: {class: ClassA}, 63: {class: ClassA},
	6: {class: ClassB}, 7: {class: ClassB, debit: true}, 8: {class: ClassB, credit: true},
	9: {class: ClassB}, 10: {class: ClassB}, 35: {class: ClassB}, 40: {class: ClassB},
	61: {class: ClassB}, 64: {class: ClassB},
	11: {class: ClassC}, 12: {class: ClassC, debit: true}, 13: {class: ClassC, credit: true},
	15: {class: ClassC},
	49: {class: Class49},
	51: {class: ClassALEY}, 52: {class: ClassALEY, debit: true}, 53: {class: ClassALEY, credit: true},
	54:  {class: ClassALEY},
	201: {class: ClassA, fce: true}, 202: {class: ClassA, fce: true, debit: true}, 203: {class: ClassA, fce: true, credit: true},
	206: {class: ClassB, fce: true}, 207: {class: ClassB, fce: true, debit: true}, 208: {class: ClassB, fce: true, credit: true},
	211: {class: ClassC, fce: true}, 212: {class: ClassC, fce: true, debit: true}, 213: {class: ClassC, fce: true, credit: true},
}

// VoucherTypes lists the types that can be issued, in ascending order.
func VoucherTypes() []int32 { return slices.Sorted(maps.Keys(voucherTypes)) }

// ClassOf returns the class of a type of voucher, no text for a type that cannot
// be issued.
func ClassOf(cbteTipo int32) Class { return voucherTypes[cbteTipo].class }

// IsFCE reports whether the type is an electronic credit invoice MiPyME or one
// of its notes.
func IsFCE(cbteTipo int32) bool { return voucherTypes[cbteTipo].fce }

// IsNote reports whether the type is a debit or a credit note.
func IsNote(cbteTipo int32) bool {
	t := voucherTypes[cbteTipo]
	return t.debit || t.credit
}

// IsCreditNote reports whether the type is a credit note.
func IsCreditNote(cbteTipo int32) bool { return voucherTypes[cbteTipo].credit }
