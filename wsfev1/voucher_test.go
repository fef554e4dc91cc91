package wsfev1_test

import (
	"slices"
	"testing"

	"github.com/fielato/fielato/wsfev1"
)

// What vouchers may name and carry, written out from docs/sources.md:
// #classes, #associated-vouchers, #opcionales.
var (
	deliveryNotes = []int32{88, 91, 988, 990, 991, 993, 994, 995, 996, 997}

	mayAssociate = map[int32][]int32{
		1: {88, 991}, 6: {88, 991}, 51: {88, 991},
		2:  {1, 2, 3, 4, 5, 34, 39, 60, 63, 88, 991},
		3:  {1, 2, 3, 4, 5, 34, 39, 60, 63, 88, 991},
		7:  {6, 7, 8, 9, 10, 35, 40, 61, 64, 88, 991},
		8:  {6, 7, 8, 9, 10, 35, 40, 61, 64, 88, 991},
		12: {11, 12, 13, 15}, 13: {11, 12, 13, 15},
		52: {51, 52, 53, 54, 88, 991}, 53: {51, 52, 53, 54, 88, 991},
		201: {91, 990, 991, 993, 994, 995}, 206: {91, 990, 991, 993, 994, 995}, 211: {91, 990, 991, 993, 994, 995},
		202: {201, 202, 203}, 203: {201, 202, 203},
		207: {206, 207, 208}, 208: {206, 207, 208},
		212: {211, 212, 213}, 213: {211, 212, 213},
	}

	opcionalTypes = []int32{
		1, 2, 3, 4, 6, 7, 8, 9, 11, 12, 13, 15, 49, 51, 52, 53, 54, 63, 64,
		201, 202, 203, 206, 207, 208, 211, 212, 213,
	}
	opcionalTypesInCAEA = []int32{
		1, 2, 3, 4, 5, 6, 7, 8, 34, 39, 60, 63, 64, 201, 202, 203, 206, 207, 208, 211, 212, 213,
	}
	informableTypes = []int32{
		1, 2, 3, 4, 6, 7, 8, 9, 11, 12, 13, 15, 51, 52, 53, 54, 63, 64,
		201, 202, 203, 206, 207, 208, 211, 212, 213,
	}
)

func TestTypesAreInTheListsOfTheService(t *testing.T) {
	for name, c := range map[string]struct {
		look func(int32) bool
		want []int32
	}{
		"is a remito":                 {wsfev1.IsRemito, deliveryNotes},
		"may carry Opcionales":        {wsfev1.MayCarryOpcionales, opcionalTypes},
		"may carry them in CAEA":      {wsfev1.MayCarryOpcionalesInCAEA, opcionalTypesInCAEA},
		"may be reported under CAEA":  {wsfev1.IsInformable, informableTypes},
		"may have CbtesAsoc at all":   {wsfev1.AssociatesAny, []int32{1, 2, 3, 6, 7, 8, 12, 13, 51, 52, 53, 201, 202, 203, 206, 207, 208, 211, 212, 213}},
		"may have them under CAEA":    {wsfev1.AssociatesAnyInCAEA, []int32{1, 2, 3, 6, 7, 8, 12, 13, 51, 52, 53, 63, 64, 201, 202, 203, 206, 207, 208, 211, 212, 213}},
		"is associable to a type 9":   {func(id int32) bool { return wsfev1.MayAssociate(9, id) }, nil},
		"is associable to no voucher": {func(id int32) bool { return wsfev1.MayAssociate(-1, id) }, nil},
	} {
		everyID(func(id int32) {
			if got, want := c.look(id), slices.Contains(c.want, id); got != want {
				t.Errorf("%d %s: %v, want %v", id, name, got, want)
			}
		})
	}
}

func TestAVoucherAssociatesWhatItsRowOfTheMatrixSays(t *testing.T) {
	allowed := 0
	for cbteTipo := int32(-2); cbteTipo <= 1030; cbteTipo++ {
		for associated := int32(-2); associated <= 1030; associated++ {
			want := slices.Contains(mayAssociate[cbteTipo], associated)
			if got := wsfev1.MayAssociate(cbteTipo, associated); got != want {
				t.Errorf("%d may associate %d: %v, want %v", cbteTipo, associated, got, want)
			}
			switch cbteTipo {
			case 1, 6, 51:
				want = slices.Contains(deliveryNotes, associated)
			case 52, 53:
				want = want && !slices.Contains(deliveryNotes, associated)
			}
			if got := wsfev1.MayAssociateInCAEA(cbteTipo, associated); got != want {
				t.Errorf("in CAEA %d may associate %d: %v, want %v", cbteTipo, associated, got, want)
			}
			if want {
				allowed++
			}
		}
	}
	// 3 rows of 10, 2 of 11, 2 of 11, 2 of 4, 2 of 4, 3 of 6, 6 of 3
	if want := 30 + 22 + 22 + 8 + 8 + 18 + 18; allowed != want {
		t.Errorf("%d pairs in CAEA, want %d", allowed, want)
	}
}

func TestTypesFarFromAllOthersAssociateNothing(t *testing.T) {
	for _, far := range []int32{-1 << 31, 1<<31 - 1, 1<<16 + 1} {
		if wsfev1.MayAssociate(far, 1) || wsfev1.MayAssociate(2, far) || wsfev1.AssociatesAny(far) ||
			wsfev1.MayAssociateInCAEA(far, 1) || wsfev1.MayAssociateInCAEA(2, far) {
			t.Errorf("type %d associates or is associated", far)
		}
	}
}
