package rules

import (
	"slices"
	"strings"

	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
)

// asocTypeRules are about the types of the vouchers that an invoice refers to. What they say of
// delivery notes observes: the manual's matrix admits 88 and 991 for invoices, while an invoice of
// a meat or flour activity needs 995, 993 or 994 (10225, 10226), and 10157 admits delivery notes
// for the notes of FCE. Such an invoice can satisfy one of the two only.
var asocTypeRules = []rule{
	{
		codes: codes{cae.exc(10040)}, types: all(issuable, not(wsfev1.AssociatesAny)), with: withCbtesAsoc, invoice: associatesNothing,
		es: associatesNothingES, en: associatesNothingEN,
	},
	{
		codes: codes{cae.exc(10040)}, types: wsfev1.AssociatesAny, with: withCbtesAsoc,
		invoice: func(c *invoiceCheck) { c.asocTypesAre(wsfev1.MayAssociate, not(wsfev1.IsRemito)) },
		es:      "Este comprobante no puede asociar uno de ese tipo.",
		en:      "A voucher of this type may not refer to one of that type.",
	},
	{
		codes: codes{cae.exc(10040)}, types: issuable, with: withCbtesAsoc, level: validate.Observe,
		also:    []Source{byWeakGround},
		invoice: func(c *invoiceCheck) { c.asocTypesAre(wsfev1.MayAssociate, wsfev1.IsRemito) },
		es:      remitoES, en: remitoEN,
	},
	{
		codes: codes{caea.exc(807)}, types: all(wsfev1.IsInformable, not(wsfev1.AssociatesAnyInCAEA)), with: withCbtesAsoc, invoice: associatesNothing,
		es: associatesNothingES, en: associatesNothingEN,
	},
	{
		codes: codes{caea.exc(807)}, types: all(wsfev1.IsInformable, not(wsfev1.AssociatesAnyInCAEA)), with: withCbtesAsoc, level: validate.Observe,
		also:    []Source{byWeakGround},
		invoice: func(c *invoiceCheck) { c.asocTypesAre(wsfev1.MayAssociateInCAEA, wsfev1.IsRemito) },
		es:      remitoES, en: remitoEN,
	},
	{
		codes: codes{caea.obs(806)}, types: all(wsfev1.AssociatesAny, not(wsfev1.IsFCE)), with: withCbtesAsoc,
		invoice: func(c *invoiceCheck) { c.asocTypesAre(wsfev1.MayAssociateInCAEA, nil) },
		es:      "Este comprobante no puede asociar uno de ese tipo.",
		en:      "A voucher of this type may not refer to one of that type.",
	},
	{
		codes: codes{caea.exc(812)}, types: wsfev1.IsFCE, with: withCbtesAsoc,
		invoice: func(c *invoiceCheck) { c.asocTypesAre(wsfev1.MayAssociateInCAEA, not(wsfev1.IsRemito)) },
		es:      "Este comprobante FCE no puede asociar uno de ese tipo.",
		en:      "A credit invoice MiPyME, or its note, may not refer to a voucher of that type.",
	},
	{
		codes: codes{caea.exc(812)}, types: wsfev1.IsFCE, with: withCbtesAsoc, level: validate.Observe,
		also:    []Source{byWeakGround},
		invoice: func(c *invoiceCheck) { c.asocTypesAre(wsfev1.MayAssociateInCAEA, wsfev1.IsRemito) },
		es:      remitoES, en: remitoEN,
	},
}

const (
	associatesNothingES = "Este tipo de comprobante no admite CbtesAsoc: no los envíe."
	associatesNothingEN = "A voucher of this type may not have CbtesAsoc."
	remitoES            = "Ese remito no figura entre los que este comprobante puede asociar: ARCA podría rechazarlo."
	remitoEN            = "A voucher of this type may not refer to that kind of delivery note; texts of the service contradict each other about it."
)

// associatesNothing leaves an empty list, which associates nothing, to rule 10062, and delivery
// notes to the sentence about them.
func associatesNothing(c *invoiceCheck) {
	if slices.ContainsFunc(c.asocs(), func(a wsfev1.CbteAsoc) bool { return !wsfev1.IsRemito(a.Tipo) }) {
		c.find(c.pointer("CbtesAsoc"))
	}
}

// asocTypesAre finds the associated types among some that the matrix does not admit; nil is all
// types. Those that are no type at all are rule 10057's.
func (c *invoiceCheck) asocTypesAre(admitted func(cbteTipo, associated int32) bool, among types) {
	var expected []string // the same for all: the list may be long
	for i := range c.asocs() {
		tipo := c.asocs()[i].Tipo
		if tipo <= 0 || among != nil && !among(tipo) || admitted(c.CbteTipo, tipo) {
			continue
		}
		if expected == nil {
			expected = admittedTypes(c.CbteTipo, admitted)
		}
		f := c.wrongItem(asocList, i, "Tipo", number(tipo), strings.Join(expected, ", "))
		f.Text = capital(aVoucher(c.CbteTipo)) + " no puede asociar " + aVoucher(tipo) + "; admite " + list(expected...)
		if len(expected) == 0 {
			f.Text = capital(aVoucher(c.CbteTipo)) + " no puede asociar " + aVoucher(tipo) + ", ni otro comprobante"
		}
		if wsfev1.IsRemito(tipo) {
			f.Text += "; ARCA podría rechazarlo"
		}
	}
}

// admittedTypes lists what a type may associate.
func admittedTypes(cbteTipo int32, admitted func(cbteTipo, associated int32) bool) (ids []string) {
	for associated := int32(1); associated < 1000; associated++ {
		if admitted(cbteTipo, associated) {
			ids = append(ids, number(associated))
		}
	}
	return ids
}
