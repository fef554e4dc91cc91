package rules

import (
	"slices"

	"github.com/fielato/fielato/wsfev1"
)

// types is a set of types of voucher. A type that cannot be issued is asked as 0.
type types func(cbteTipo int32) bool

func ofClass(classes ...wsfev1.Class) types {
	return func(t int32) bool { return slices.Contains(classes, wsfev1.ClassOf(t)) }
}

// issuable are the types that can be issued; others are rule 10007's.
func issuable(t int32) bool { return wsfev1.ClassOf(t) != "" }

// notOfClass are the types that can be issued and are of none of the classes.
func notOfClass(classes ...wsfev1.Class) types { return all(issuable, not(ofClass(classes...))) }

func only(some ...int32) types { return func(t int32) bool { return slices.Contains(some, t) } }

func except(some ...int32) types { return not(only(some...)) }

func not(set types) types { return func(t int32) bool { return !set(t) } }

// all is the intersection of the sets.
func all(sets ...types) types {
	return func(t int32) bool {
		return !slices.ContainsFunc(sets, func(set types) bool { return !set(t) })
	}
}

// fceInvoice are the credit invoices MiPyME without their notes.
func fceInvoice(t int32) bool { return wsfev1.IsFCE(t) && !wsfev1.IsNote(t) }

// fceNote are the notes of credit invoices MiPyME.
func fceNote(t int32) bool { return wsfev1.IsFCE(t) && wsfev1.IsNote(t) }

// plainNote are the notes that are not FCE.
func plainNote(t int32) bool { return wsfev1.IsNote(t) && !wsfev1.IsFCE(t) }

// plainInvoice are the types that the service calls Factura, without FCE.
func plainInvoice(t int32) bool { return t == 1 || t == 6 || t == 11 || t == 51 }
