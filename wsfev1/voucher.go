package wsfev1

import (
	"slices"

	"github.com/fielato/fielato/internal/idset"
)

// remitos are the types that are never issued here, only named as associated
// vouchers (docs/sources.md#classes).
var remitos = []int32{88, 91, 988, 990, 991, 993, 994, 995, 996, 997}

var (
	remitoTypes = idset.Of(remitos...)
	// reportable, opcionalCarriers and opcionalCarriersInCAEA are lists of types
	// as the service's codes 700, 10068 and 1426 give them.
	reportable = idset.Of(1, 2, 3, 4, 6, 7, 8, 9, 11, 12, 13, 15, 51, 52, 53, 54, 63, 64,
		201, 202, 203, 206, 207, 208, 211, 212, 213)
	opcionalCarriers = idset.Of(1, 2, 3, 4, 6, 7, 8, 9, 11, 12, 13, 15, 49, 51, 52, 53, 54, 63, 64,
		201, 202, 203, 206, 207, 208, 211, 212, 213)
	opcionalCarriersInCAEA = idset.Of(1, 2, 3, 4, 5, 6, 7, 8, 34, 39, 60, 63, 64,
		201, 202, 203, 206, 207, 208, 211, 212, 213)
)

// association is a row of the matrix of docs/sources.md#associated-vouchers.
type association struct{ types, may []int32 }

var sharedAssociations = []association{
	{types: []int32{2, 3}, may: []int32{1, 2, 3, 4, 5, 34, 39, 60, 63, 88, 991}},
	{types: []int32{7, 8}, may: []int32{6, 7, 8, 9, 10, 35, 40, 61, 64, 88, 991}},
	{types: []int32{12, 13}, may: []int32{11, 12, 13, 15}},
	{types: []int32{201, 206, 211}, may: []int32{91, 990, 991, 993, 994, 995}},
	{types: []int32{202, 203}, may: []int32{201, 202, 203}},
	{types: []int32{207, 208}, may: []int32{206, 207, 208}},
	{types: []int32{212, 213}, may: []int32{211, 212, 213}},
}

// The two issuing operations differ in the rows of plain invoices and of the notes of class ALEY
// (manual, codes 10040 and 806).
var (
	associable = associationsOf(association{[]int32{1, 6, 51}, []int32{88, 991}},
		association{[]int32{52, 53}, []int32{51, 52, 53, 54, 88, 991}})
	associableInCAEA = associationsOf(association{[]int32{1, 6, 51}, remitos}, association{[]int32{52, 53}, []int32{51, 52, 53, 54}})
)

// associations holds, for each type of voucher, the types that it may associate.
type associations [214]idset.Set

func associationsOf(own ...association) *associations {
	a := new(associations)
	for _, row := range slices.Concat(sharedAssociations, own) {
		for _, cbteTipo := range row.types {
			a[cbteTipo] = idset.Of(row.may...)
		}
	}
	return a
}

func (a *associations) of(cbteTipo int32) idset.Set {
	if cbteTipo < 0 || int(cbteTipo) >= len(a) {
		return nil
	}
	return a[cbteTipo]
}

// IsRemito reports whether the type is one that can only be associated: delivery
// notes, which this service does not issue (docs/sources.md#classes).
func IsRemito(cbteTipo int32) bool { return remitoTypes.Has(cbteTipo) }

// AssociatesAny reports whether vouchers of the type may have CbtesAsoc at all in a
// FECAESolicitar (manual, code 10040).
func AssociatesAny(cbteTipo int32) bool { return associable.of(cbteTipo) != nil }

// AssociatesAnyInCAEA is AssociatesAny for a FECAEARegInformativo. There 63 and 64 may have
// CbtesAsoc too, of any type (manual, code 807; 806 has no list for them).
func AssociatesAnyInCAEA(t int32) bool { return t == 63 || t == 64 || AssociatesAny(t) }

// MayAssociate reports whether a voucher of the one type may associate one of the
// other in a FECAESolicitar (docs/sources.md#associated-vouchers).
func MayAssociate(cbteTipo, associated int32) bool { return associable.of(cbteTipo).Has(associated) }

// MayAssociateInCAEA is MayAssociate for a FECAEARegInformativo. There invoices of
// type 1, 6 and 51 may associate every remito, not only 88 and 991, and the notes 52 and 53
// none (manual, codes 806 and 812).
func MayAssociateInCAEA(cbteTipo, associated int32) bool {
	return associableInCAEA.of(cbteTipo).Has(associated)
}

// MayCarryOpcionales reports whether vouchers of the type may have Opcionales in
// a FECAESolicitar (manual, code 10068). For 63 and 64 that is so since
// 2026-06-01.
func MayCarryOpcionales(cbteTipo int32) bool { return opcionalCarriers.Has(cbteTipo) }

// MayCarryOpcionalesInCAEA is MayCarryOpcionales for a FECAEARegInformativo
// (manual, code 1426, as of 2026-09-01). The service's list names types
// that IsInformable refuses (5, 34, 39, 60) and leaves out some that it admits
// (9, 11 to 13, 15, 51 to 54).
func MayCarryOpcionalesInCAEA(cbteTipo int32) bool { return opcionalCarriersInCAEA.Has(cbteTipo) }

// IsInformable reports whether a FECAEARegInformativo may report vouchers of the
// type (manual, code 700): 63 and 64 since 2026-06-01. For 51 to 53,
// which are among them, the service adds an observation.
func IsInformable(cbteTipo int32) bool { return reportable.Has(cbteTipo) }
