package rules

import (
	"slices"

	"github.com/fielato/fielato/wsfev1"
)

// The Ids of Opcional of credit invoices MiPyME.
const (
	cbu       = "2101"
	alias     = "2102"
	annulment = "22"
	transfer  = "27"
)

// transferInForce is the day from which a credit invoice MiPyME states how it may be passed on
// (RG 4919/2021). Invoices of 2019 were authorised without.
const transferInForce = wsfev1.Date("20210401")

// fceOpcionalRules are about the Opcionales of credit invoices MiPyME and their
// notes. A Valor that is missing is rule 10055's, an empty list rule 10052's.
var fceOpcionalRules = slices.Concat([]rule{
	{
		codes: codes{cae.exc(10162), caea.exc(1459)}, types: wsfev1.IsFCE, invoice: creditHasOpcionales,
		es: "Un comprobante FCE lleva Opcionales: 2101 y 27 en la factura, 22 en la nota.",
		en: "A credit invoice MiPyME, or its note, has no Opcionales.",
	},
	{
		codes: codes{cae.exc(10165), caea.exc(1462)}, types: fceInvoice, with: withOpcionales,
		invoice: valorOf(cbu, "22 dígitos", isCBU),
		es:      "La CBU (opcional 2101) debe tener 22 dígitos.",
		en:      "Opcional 2101, the CBU, has not 22 digits.",
	},
	{
		codes: codes{cae.exc(10166), caea.exc(1463)}, types: fceInvoice, with: withOpcionales,
		invoice: valorOf(alias, "de 6 a 20 letras o dígitos", isAlias),
		es:      "El alias (opcional 2102) debe tener de 6 a 20 letras o dígitos.",
		en:      "Opcional 2102, the alias, has not 6 to 20 letters and digits.",
	},
	{
		codes: codes{cae.exc(10167), caea.exc(1464)}, types: fceNote, with: withOpcionales,
		invoice: valorOf(annulment, "S o N", isYesOrNo),
		es:      "El opcional 22 debe ser S, de anulación, o N.",
		en:      "Opcional 22 is neither S nor N.",
	},
	{
		codes: codes{cae.exc(10168), caea.exc(1465)}, types: fceInvoice, with: withOpcionales,
		invoice: func(c *invoiceCheck) { c.needsOpcional(cbu) },
		es:      "Falta la CBU del emisor (opcional 2101): una factura FCE la lleva.",
		en:      "A credit invoice MiPyME has no opcional 2101, the CBU of the issuer.",
	},
	{
		// A type that may have no Opcionales at all is rule 10068's.
		codes: codes{cae.exc(10169)}, types: all(wsfev1.MayCarryOpcionales, not(wsfev1.IsFCE)), with: withOpcionales,
		invoice: func(c *invoiceCheck) { c.opcionalIsNotFor(cbu, alias, annulment, transfer) },
		es:      "Los opcionales 2101, 2102, 22 y 27 van solo en comprobantes FCE: quítelos.",
		en:      "A voucher that is no credit invoice MiPyME has opcional 2101, 2102, 22 or 27.",
	},
	{
		codes: codes{caea.exc(1466)}, types: all(wsfev1.MayCarryOpcionalesInCAEA, not(wsfev1.IsFCE)), with: withOpcionales,
		invoice: func(c *invoiceCheck) { c.opcionalIsNotFor(cbu, alias, annulment, transfer) },
		es:      "Los opcionales 2101, 2102, 22 y 27 van solo en comprobantes FCE: quítelos.",
		en:      "A voucher that is no credit invoice MiPyME has opcional 2101, 2102, 22 or 27.",
	},
	{
		codes: codes{cae.exc(10170), caea.exc(1467)}, types: wsfev1.IsFCE, with: withOpcionales, invoice: creditHasAnOpcionalOfItsOwn,
		es: "Un comprobante FCE debe informar al menos uno de los opcionales 2101, 22 y 27.",
		en: "A credit invoice MiPyME, or its note, has none of opcional 2101, 22 and 27.",
	},
	{
		codes: codes{cae.exc(10171), caea.exc(1468)}, types: fceInvoice, with: withOpcionales,
		invoice: func(c *invoiceCheck) { c.opcionalIsNotFor(annulment) },
		es:      "El opcional 22, de anulación, no va en una factura FCE: quítelo.",
		en:      "A credit invoice MiPyME that is no note has opcional 22.",
	},
	{
		codes: codes{cae.exc(10172)}, types: fceNote, with: withOpcionales,
		invoice: func(c *invoiceCheck) { c.opcionalIsNotFor(cbu, alias, transfer) },
		es:      "Los opcionales 2101, 2102 y 27 no van en una nota FCE: quítelos.",
		en:      "A note of a credit invoice MiPyME has opcional 2101, 2102 or 27.",
	},
	{
		// Here the service's own table does not name 27.
		codes: codes{caea.exc(1469)}, types: fceNote, with: withOpcionales,
		invoice: func(c *invoiceCheck) { c.opcionalIsNotFor(cbu, alias) },
		es:      "Los opcionales 2101 y 2102 no van en una nota FCE: quítelos.",
		en:      "A note of a credit invoice MiPyME has opcional 2101 or 2102.",
	},
	{
		codes: codes{cae.exc(10173), caea.exc(1470)}, types: fceNote, with: withOpcionales,
		invoice: func(c *invoiceCheck) { c.needsOpcional(annulment) },
		es:      "Falta el opcional 22: informe S si la nota FCE es de anulación, o N.",
		en:      "A note of a credit invoice MiPyME has no opcional 22.",
	},
	{
		codes: codes{cae.exc(10174), caea.exc(1471)},
		es:    "La CBU no está registrada a nombre del emisor.",
		en:    "The CBU is not registered as one of the issuer.",
	},
	{
		codes: codes{cae.exc(10189)}, types: wsfev1.MayCarryOpcionales, with: withOpcionales,
		invoice: valorOf(opcionalReferencia, "", isReference),
		es:      "La referencia comercial (opcional 23) admite hasta 50 caracteres.",
		en:      "Opcional 23, a commercial reference, is longer than 50 characters.",
	},
	{
		codes: codes{caea.exc(1482)}, types: wsfev1.MayCarryOpcionalesInCAEA, with: withOpcionales,
		invoice: valorOf(opcionalReferencia, "", isReference),
		es:      "La referencia comercial (opcional 23) admite hasta 50 caracteres.",
		en:      "Opcional 23, a commercial reference, is longer than 50 characters.",
	},
	{
		codes: codes{cae.exc(10190)}, types: wsfev1.MayCarryOpcionales, with: withOpcionales, invoice: referencesAreNotRepeated,
		es: "La referencia comercial (opcional 23) está repetida.",
		en: "A commercial reference, opcional 23, is given more than once.",
	},
	{
		codes: codes{caea.exc(1483)}, types: wsfev1.MayCarryOpcionalesInCAEA, with: withOpcionales, invoice: referencesAreNotRepeated,
		es: "La referencia comercial (opcional 23) está repetida.",
		en: "A commercial reference, opcional 23, is given more than once.",
	},
	{
		codes: codes{cae.exc(10214), caea.exc(1513)}, from: transferInForce, types: fceInvoice, with: withOpcionales,
		also:    []Source{rgTransfer},
		invoice: valorOf(transfer, "SCA o ADC", hasThreeLetters),
		es:      "La transferencia (opcional 27) se escribe con 3 letras, SCA o ADC.",
		en:      "Opcional 27 has not 3 characters.",
	},
	{
		codes: codes{cae.exc(10215), caea.exc(1514)}, from: transferInForce, types: fceInvoice, with: withOpcionales,
		also:    []Source{rgTransfer},
		invoice: valorOf(transfer, "SCA o ADC", isTransfer),
		es:      "La transferencia (opcional 27) debe ser SCA o ADC.",
		en:      "Opcional 27 is neither SCA nor ADC.",
	},
}, asksFrom(creditNamesItsTransfer))

// creditNamesItsTransfer asks for what invoices of 2019 had not yet.
var creditNamesItsTransfer = rule{
	codes: codes{cae.exc(10216), caea.exc(1515)}, from: transferInForce, types: fceInvoice, with: withOpcionales,
	also:    []Source{rgTransfer},
	invoice: func(c *invoiceCheck) { c.needsOpcional(transfer) },
	es:      "Falta la transferencia (opcional 27), SCA o ADC: una factura FCE la lleva.",
	en:      "A credit invoice MiPyME has no opcional 27.",
}
