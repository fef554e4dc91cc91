package wsfev1_test

import (
	"slices"
	"testing"

	"github.com/fielato/fielato/wsfev1"
)

// The table of classes, written out from docs/sources.md#classes.
var classes = map[wsfev1.Class][]int32{
	"A":    {1, 2, 3, 4, 5, 34, 39, 60, 63, 201, 202, 203},
	"B":    {6, 7, 8, 9, 10, 35, 40, 61, 64, 206, 207, 208},
	"C":    {11, 12, 13, 15, 211, 212, 213},
	"ALEY": {51, 52, 53, 54},
	"49":   {49},
}

var (
	creditInvoices = []int32{201, 202, 203, 206, 207, 208, 211, 212, 213}
	debitNotes     = []int32{2, 7, 12, 52, 202, 207, 212}
	creditNotes    = []int32{3, 8, 13, 53, 203, 208, 213}
)

func TestEveryTypeHasItsClassAndItsKind(t *testing.T) {
	classOf := map[int32]wsfev1.Class{}
	for class, types := range classes {
		for _, cbteTipo := range types {
			classOf[cbteTipo] = class
		}
	}
	for cbteTipo := int32(-1); cbteTipo <= 1100; cbteTipo++ {
		if got := wsfev1.ClassOf(cbteTipo); got != classOf[cbteTipo] {
			t.Errorf("type %d is of class %q, want %q", cbteTipo, got, classOf[cbteTipo])
		}
		if got, want := wsfev1.IsFCE(cbteTipo), slices.Contains(creditInvoices, cbteTipo); got != want {
			t.Errorf("type %d is FCE: %v, want %v", cbteTipo, got, want)
		}
		credit := slices.Contains(creditNotes, cbteTipo)
		if got := wsfev1.IsCreditNote(cbteTipo); got != credit {
			t.Errorf("type %d is a credit note: %v, want %v", cbteTipo, got, credit)
		}
		if got, want := wsfev1.IsNote(cbteTipo), credit || slices.Contains(debitNotes, cbteTipo); got != want {
			t.Errorf("type %d is a note: %v, want %v", cbteTipo, got, want)
		}
	}
}

func TestTheTypesThatCanBeIssuedAreThoseOfTheClasses(t *testing.T) {
	var want []int32
	for _, types := range classes {
		want = append(want, types...)
	}
	slices.Sort(want)
	if got := wsfev1.VoucherTypes(); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
