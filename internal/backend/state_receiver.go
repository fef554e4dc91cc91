package backend

import (
	"slices"

	"github.com/fielato/fielato/wsfev1"
)

// registerRules are the rules that the register decides.
var registerRules = slices.Concat(
	receiverRules, buyerRules, issuerRules, usedGoodsRules, pointRules, suretyRules, opcionalRules, rateRules, creditRules,
)

// receiverRules are about the receiver of the invoice.
var receiverRules = []registerRule{
	{cae: 10015, find: receiverIsNotRegistered},
	{cae: 10017, caea: 708, find: receiver((*Taxpayer).absent)},
	{cae: 10063, caea: 1402, find: receiver((*Taxpayer).withoutTax)},
	{cae: 10195, caea: 1489, find: receiverByCUIT(func(t *Taxpayer) bool { return t.Apocryphal })},
	{cae: 10217, caea: 1516, find: receiver(func(t *Taxpayer) bool { return t.IVA == Monotributo })},
	{cae: 10238, caea: 819, find: receiver(func(t *Taxpayer) bool { return t.Unknown })},
	{cae: 10247, caea: 827, find: receiver(func(t *Taxpayer) bool { return t.Inactive })},
	{cae: 10248, caea: 828, find: receiver(func(t *Taxpayer) bool { return t.Untrustworthy })},
	{cae: 10249, caea: 829, find: receiver(func(t *Taxpayer) bool { return t.Deceased })},
	{cae: 10284, caea: 1528, find: receiverByCUIT(func(t *Taxpayer) bool { return t.NotCUIT })},
	{caea: 1420, find: receiver(func(t *Taxpayer) bool { return t.Unknown })},
}

// The kinds of document that are numbers of the tax register, and the kind of investment funds.
const (
	docFund = 31
	docCUIT = 80
	docCUIL = 86
	docCDI  = 87
)

// receiver makes a rule that finds a receiver with something wrong.
func receiver(wrong func(*Taxpayer) bool) func(*examination) string {
	return func(x *examination) string {
		if x.receiver != nil && wrong(x.receiver) {
			return "DocNro"
		}
		return ""
	}
}

// receiverByCUIT is receiver for rules about a CUIT, not a CUIL or a CDI.
func receiverByCUIT(wrong func(*Taxpayer) bool) func(*examination) string {
	find := receiver(wrong)
	return func(x *examination) string {
		if x.DocTipo != docCUIT {
			return ""
		}
		return find(x)
	}
}

// receiverIsNotRegistered leaves the receiver of a credit invoice to rule 10176, and the receiver
// of a class A invoice to the remark 10017.
func receiverIsNotRegistered(x *examination) string {
	if x.receiver != nil && x.receiver.Unknown && !wsfev1.IsFCE(x.CbteTipo) && x.Class != wsfev1.ClassA && x.Class != wsfev1.ClassALEY {
		return "DocNro"
	}
	return ""
}

// absent reports whether the taxpayer is not registered, or not active.
func (t *Taxpayer) absent() bool { return t.Unknown || t.Inactive }

// paysIVA and paysTax report whether the taxpayer is active in IVA, or in IVA or
// Monotributo.
func (t *Taxpayer) paysIVA() bool { return t.IVA == ResponsableInscripto }
func (t *Taxpayer) paysTax() bool { return t.paysIVA() || t.IVA == Monotributo }

// withoutTax leaves an unassigned number to rule 10238.
func (t *Taxpayer) withoutTax() bool { return !t.Unknown && !t.paysTax() }

// taxpayer returns the register's entry of a document, nil if it is no CUIT, CUIL or CDI, or
// the number for a receiver that is not categorised.
func (r *Register) taxpayer(docTipo int32, docNro int64) *Taxpayer {
	switch docTipo {
	case docCUIT, docCUIL, docCDI:
		if wsfev1.CUIT(docNro) != wsfev1.NoCategorizado {
			return r.Taxpayer(wsfev1.CUIT(docNro))
		}
	}
	return nil
}

// receiverOf returns the register's entry of the receiver, nil if the invoice names none
// of the register.
func (r *Register) receiverOf(detail *wsfev1.FECAEDetRequest) *Taxpayer {
	return r.taxpayer(detail.DocTipo, detail.DocNro)
}
