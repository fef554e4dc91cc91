package rules

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/fielato/fielato/wsfev1"
)

// opcionalRules are about every optional datum and about the project of an
// industrial promotion. The data of each regulation have tables of their own. The data
// for FCE are not here; nor is 23, a free reference that goes with everything.
var opcionalRules = []rule{
	{
		codes: codes{cae.exc(10052), caea.exc(1103)}, with: withOpcionales, invoice: opcionalesAreNotEmpty,
		es: "Opcionales se informó vacío: agregue al menos un Opcional, o no lo envíe.",
		en: "Opcionales has no Opcional.",
	},
	{
		codes: codes{cae.exc(10053), caea.exc(1100)}, with: withOpcionales, invoice: opcionalesAreKnown,
		es: "Opcional.Id debe ser uno de FEParamGetTiposOpcional.",
		en: "Opcional.Id is missing or not one of FEParamGetTiposOpcional.",
	},
	{
		codes: codes{cae.exc(10053), caea.exc(1100)}, until: "20260831", with: withOpcionales,
		invoice: func(c *invoiceCheck) {
			if !c.listed(TiposOpcional, opcionalPoliza) {
				c.opcionalIsNotFor(opcionalPoliza, opcionalEndoso)
			}
		},
		es: "Las pólizas de seguros de caución se informan desde el 01/09/2026.",
		en: "The policies of surety insurers exist since 2026-09-01.",
	},
	{
		codes: codes{cae.exc(10054), caea.exc(1101)}, with: withOpcionales, invoice: opcionalesAreNotRepeated,
		es: "Hay un Opcional.Id repetido: " + repeatable + ".",
		en: "An Opcional.Id other than 23, 1801, 1802, 2901 and 2902 is given more than once.",
	},
	{
		codes: codes{cae.exc(10055), caea.exc(1105)}, with: withOpcionales, invoice: opcionalesHaveValues,
		es: "Falta Opcional.Valor: informe el dato, o quite el Opcional.",
		en: "Opcional.Valor is missing.",
	},
	{
		codes: codes{cae.exc(10064), caea.exc(1104)}, with: withOpcionales,
		invoice: valorOf("2", "8 dígitos, o 0", isProject),
		es:      "El proyecto de promoción industrial (opcional 2) se escribe con 8 dígitos, o 0 si no hay.",
		en:      "Opcional 2, the project of an industrial promotion, is not 8 digits.",
	},
	{
		// That the project is one of the issuer's is left to the service. Type 49 is
		// rule 10081's, a type that carries nothing is 10068's.
		codes: codes{cae.exc(10066)}, types: all(wsfev1.MayCarryOpcionales, except(1, 2, 3, 6, 7, 8, 49)),
		with: withOpcionales, invoice: func(c *invoiceCheck) { c.opcionalIsNotFor("2") },
		es: "El opcional 2 lleva un proyecto del emisor, y va solo en los tipos 1, 2, 3, 6, 7 y 8.",
		en: "Opcional 2 is given for a type other than 1, 2, 3, 6, 7, 8, or its project is not the issuer's.",
	},
	{
		codes: codes{caea.obs(1106)},
		es:    "El proyecto de promoción industrial no figura a nombre del emisor.",
		en:    "The project of an industrial promotion is not the issuer's.",
	},
	{
		codes: codes{cae.exc(10068)}, types: all(issuable, not(wsfev1.MayCarryOpcionales)), with: withOpcionales,
		invoice: typeCarriesNone,
		es:      "Este tipo de comprobante no admite Opcionales: no los envíe.",
		en:      "A voucher of this type has no Opcionales.",
	},
	{
		codes: codes{cae.exc(10068)}, types: only(63, 64), until: "20260531", with: withOpcionales,
		invoice: typeCarriesNone,
		es:      "Este tipo de comprobante no admite Opcionales: no los envíe.",
		en:      "A voucher of this type has no Opcionales.",
	},
	{
		codes: codes{caea.exc(1426)}, types: all(wsfev1.IsInformable, not(wsfev1.MayCarryOpcionalesInCAEA)),
		with: withOpcionales, invoice: typeCarriesNone,
		es: "Este tipo de comprobante no admite Opcionales cuando se informa por CAEA: no los envíe.",
		en: "A voucher of this type has no Opcionales when reported under a CAEA.",
	},
	{
		// Type 49 has but one regulation: rule 10081.
		codes: codes{cae.exc(10112), caea.exc(813)}, types: except(49), with: withOpcionales,
		invoice: opcionalesAreOfOneRegulation,
		es:      "Un comprobante lleva opcionales de una sola resolución general.",
		en:      "An invoice has Opcionales of more than one regulation.",
	},
}

const (
	opcionalList = "Opcionales/Opcional"
	// opcionalReferencia is the commercial reference, free for every type.
	opcionalReferencia = "23"
	// opcionalPoliza and opcionalEndoso are a policy of a surety insurer and its
	// endorsement.
	opcionalPoliza, opcionalEndoso = "2901", "2902"
)

func (c *invoiceCheck) opcionales() []wsfev1.Opcional { return c.Opcionales.Opcional }

// opcional returns the first value of an Id.
func (c *invoiceCheck) opcional(id string) (valor string, sent bool) {
	for i := range c.opcionales() {
		if o := &c.opcionales()[i]; o.Id == id {
			return o.Valor, true
		}
	}
	return "", false
}

// countOpcional returns how many items have an Id.
func (c *invoiceCheck) countOpcional(id string) (n int) {
	for i := range c.opcionales() {
		if c.opcionales()[i].Id == id {
			n++
		}
	}
	return n
}

// valorOf makes a rule about the values of an Id. A missing one is rule 10055's.
func valorOf(id, expected string, right func(valor string) bool) func(*invoiceCheck) {
	return listedValorOf(id, expected, func(_ *invoiceCheck, valor string) bool { return right(valor) })
}

// listedValorOf is valorOf for values of the service's tables.
func listedValorOf(id, expected string, right func(c *invoiceCheck, valor string) bool) func(*invoiceCheck) {
	return func(c *invoiceCheck) {
		for i := range c.opcionales() {
			if o := &c.opcionales()[i]; o.Id == id && o.Valor != "" && !right(c, o.Valor) {
				c.wrongItem(opcionalList, i, "Valor", o.Valor, expected)
			}
		}
	}
}

// opcionalIsNotFor finds the items of some Ids, which should not be there.
func (c *invoiceCheck) opcionalIsNotFor(ids ...string) {
	for i := range c.opcionales() {
		if id := c.opcionales()[i].Id; slices.Contains(ids, id) {
			f := c.wrongItem(opcionalList, i, "Id", id, "")
			if len(ids) == 1 { // which the sentence names
				f.Text = strings.TrimSuffix(c.running.es, ".")
			}
		}
	}
}

// isText reports whether a text is not blank and has so many characters at most. The service
// documents alphanumeric and accepts punctuation.
func isText(text string, most int) bool {
	return strings.TrimSpace(text) != "" && utf8.RuneCountInString(text) <= most
}

func opcionalesAreNotEmpty(c *invoiceCheck) {
	if len(c.opcionales()) == 0 {
		c.find(c.pointer(opcionalList))
	}
}

func opcionalesAreKnown(c *invoiceCheck) {
	for i := range c.opcionales() {
		if id := c.opcionales()[i].Id; !c.isOpcional(id) {
			c.wrongItem(opcionalList, i, "Id", id, "")
		}
	}
}

func opcionalesHaveValues(c *invoiceCheck) {
	for i := range c.opcionales() {
		if c.opcionales()[i].Valor == "" {
			c.find(c.item(opcionalList, i, "Valor"))
		}
	}
}

func typeCarriesNone(c *invoiceCheck) {
	f := c.find(c.pointer("Opcionales"))
	f.Got = number(c.CbteTipo)
	f.Text = capital(aVoucher(c.CbteTipo)) + strings.TrimSuffix(strings.TrimPrefix(f.Text, "Este tipo de comprobante"), ".")
}

// isProject accepts the single digit 0 for no project: the service documents both 8 digits
// and 0.
func isProject(valor string) bool { return valor == "0" || areDigits(valor, 8) }
