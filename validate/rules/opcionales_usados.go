package rules

import (
	"slices"

	"github.com/fielato/fielato/wsfev1"
)

// usadosRules are about the seller of used goods, type 49.
var usadosRules = []rule{
	{
		codes: codes{cae.exc(10076)}, types: only(49), invoice: sellerIsSent,
		es: "El comprobante de bienes usados (49) debe llevar Opcionales: nombre (91) y domicilio (93) del vendedor.",
		en: "A purchase of used goods has no Opcionales.",
	},
	{
		codes: codes{cae.exc(10077)}, types: only(49), with: withOpcionales,
		invoice: valorOf("91", "hasta 100 caracteres", func(valor string) bool { return isText(valor, 100) }),
		es:      "El nombre del vendedor (opcional 91) lleva de 1 a 100 caracteres, no todos en blanco.",
		en:      "Opcional 91, the name of the seller, is blank or longer than 100 characters.",
	},
	{
		codes: codes{cae.exc(10078)}, types: only(49), with: withOpcionales,
		invoice: func(c *invoiceCheck) { c.sellerHas("91") },
		es:      "Falta el nombre del vendedor: opcional 91.",
		en:      "A purchase of used goods has no Opcional 91, the name of the seller.",
	},
	{
		codes: codes{cae.exc(10079)}, types: only(49), with: withOpcionales,
		invoice: valorOf("92", "3 dígitos", isThreeDigits),
		es:      "El país del vendedor (opcional 92) se escribe con 3 dígitos.",
		en:      "Opcional 92, the country of the seller, is not 3 digits.",
	},
	{
		codes: codes{cae.exc(10080)}, types: only(49), with: withOpcionales,
		invoice: listedValorOf("92", "un Id de FEParamGetTiposPaises", func(c *invoiceCheck, valor string) bool {
			return !isThreeDigits(valor) || c.isPais(digitsValue(valor)) // else rule 10079
		}),
		es: "El país del vendedor (opcional 92) debe ser uno de FEParamGetTiposPaises.",
		en: "Opcional 92, the country of the seller, is not one of FEParamGetTiposPaises.",
	},
	{
		codes: codes{cae.exc(10081)}, types: only(49), with: withOpcionales, invoice: sellerHasNothingElse,
		es: "El comprobante de bienes usados (49) solo lleva los opcionales 91, 92 y 93.",
		en: "A purchase of used goods has an Opcional other than 91, 92 and 93.",
	},
	{
		codes: codes{cae.exc(10082)}, types: only(49), with: withOpcionales, invoice: countryGoesWithForeigners,
		es: "El país del vendedor (opcional 92) se informa cuando DocTipo es 30, 91 o 94, y solo entonces.",
		en: "Opcional 92 is missing for DocTipo 30, 91 or 94, or given for another.",
	},
	{
		codes: codes{cae.exc(10083)}, types: only(49), with: withOpcionales,
		invoice: valorOf("93", "hasta 250 caracteres", func(valor string) bool { return isText(valor, 250) }),
		es:      "El domicilio del vendedor (opcional 93) lleva de 1 a 250 caracteres, no todos en blanco.",
		en:      "Opcional 93, the address of the seller, is blank or longer than 250 characters.",
	},
	{
		codes: codes{cae.exc(10084)}, types: only(49), with: withOpcionales,
		invoice: func(c *invoiceCheck) { c.sellerHas("93") },
		es:      "Falta el domicilio del vendedor: opcional 93.",
		en:      "A purchase of used goods has no Opcional 93, the address of the seller.",
	},
}

// foreignDocTipos are the documents with which the seller's country is given.
var foreignDocTipos = []int32{30, 91, 94}

func isThreeDigits(valor string) bool { return areDigits(valor, 3) }

// digitsValue reads a text of nine digits at most; it asks only what areDigits
// admits.
func digitsValue(digits string) (n int32) {
	for i := range len(digits) {
		n = n*10 + int32(digits[i]-'0')
	}
	return n
}

func sellerIsSent(c *invoiceCheck) {
	if c.Opcionales == nil {
		c.find(c.pointer("Opcionales"))
	}
}

// sellerHas finds that an Id is missing. A list without any item is rule 10052's.
func (c *invoiceCheck) sellerHas(id string) {
	if _, sent := c.opcional(id); !sent && len(c.opcionales()) > 0 {
		c.explain(c.find(c.pointer(opcionalList)), "", "el opcional "+id)
	}
}

func sellerHasNothingElse(c *invoiceCheck) {
	for i := range c.opcionales() {
		if id := c.opcionales()[i].Id; id != "91" && id != "92" && id != "93" && !goesWithEverything(id) {
			c.wrongItem(opcionalList, i, "Id", id, "91, 92 o 93")
		}
	}
}

// countryGoesWithForeigners leaves a DocTipo that type 49 does not admit to rule
// 10015: the right one may be one with a country.
func countryGoesWithForeigners(c *invoiceCheck) {
	_, sent := c.opcional("92")
	foreign := slices.Contains(foreignDocTipos, c.DocTipo)
	switch {
	case foreign && !sent && len(c.opcionales()) > 0:
		f := c.find(c.pointer(opcionalList))
		f.Text = "Falta el país del vendedor, opcional 92: DocTipo es " + number(c.DocTipo)
	case sent && !foreign && wsfev1.IsDocTipo(c.DocTipo) && c.DocTipo != 99:
		c.opcionalIsNotFor("92")
	}
}
