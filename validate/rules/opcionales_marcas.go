package rules

// marcaRules are about activities that are or are not under a regulation, and about the payer
// of a private school (RG 3368). No code of FECAEARegInformativo asks for them.
var marcaRules = []rule{
	{
		codes: codes{cae.exc(10097)}, with: withOpcionales, invoice: valorOf("10", "0 o 1", isMark),
		es: "La actividad de la RG 3368 (opcional 10) debe ser 0 (no comprendida) o 1 (comprendida).",
		en: "Opcional 10 (RG 3368) is not 0 or 1.",
	},
	{
		codes: codes{cae.exc(10098)}, with: withOpcionales,
		invoice: listedValorOf(opcionalPayerDocTipo, "un Id de FEParamGetTiposDoc", func(c *invoiceCheck, valor string) bool {
			return isDocument(valor) && len(valor) <= 3 && c.isDocTipo(digitsValue(valor))
		}),
		es: "El tipo de documento del titular del pago (opcional 1011) debe ser uno de FEParamGetTiposDoc.",
		en: "Opcional 1011, the kind of document of the payer, is not one of FEParamGetTiposDoc.",
	},
	{
		codes: codes{cae.exc(10099)}, with: withOpcionales, invoice: payerHasDocument,
		es: "El documento del titular del pago (opcional 1012) lleva hasta 11 dígitos para los tipos 80, 86, 87 y 96, " +
			"y hasta 20 caracteres para los demás.",
		en: "Opcional 1012, the document of the payer, is longer than 20 characters, " +
			"or not 1 to 11 digits where 1011 is 80, 86, 87 or 96.",
	},
	{
		codes: codes{cae.exc(10113)}, with: withOpcionales, invoice: payerGoesWithTheMark,
		es: "El titular del pago (opcionales 1011 y 1012) se informa si el opcional 10 es 1, y no si es 0.",
		en: "Opcional 10 is 1 without 1011 and 1012, or 0 with one of them.",
	},
	{
		codes: codes{cae.exc(10114)}, with: withOpcionales, invoice: payerNeedsTheMark,
		es: "El titular del pago (opcionales 1011 y 1012) se informa junto al opcional 10 con valor 1.",
		en: "Opcional 1011 or 1012 is given without Opcional 10.",
	},
	{
		codes: codes{cae.exc(10115)},
		es:    "El documento del titular del pago (opcional 1012) no está registrado.",
		en:    "The document of the payer is not in the tax register.",
	},
	{
		codes: codes{cae.exc(10110)}, with: withOpcionales, invoice: valorOf("11", "0 o 1", isMark),
		es: "La actividad de la RG 2820 (opcional 11) debe ser 0 (no comprendida) o 1 (comprendida).",
		en: "Opcional 11 (RG 2820) is not 0 or 1.",
	},
	{
		codes: codes{cae.exc(10111)}, with: withOpcionales, invoice: valorOf("12", "0 o 1", isMark),
		es: "La actividad de la RG 3687 (opcional 12) debe ser 0 (no comprendida) o 1 (comprendida).",
		en: "Opcional 12 (RG 3687) is not 0 or 1.",
	},
	{
		codes: codes{cae.exc(10116)}, with: withOpcionales, invoice: valorOf("13", "0 o 1", isMark),
		es: "La actividad de representación de modelos (RG 2863, opcional 13) debe ser 0 (no comprendida) o 1 (comprendida).",
		en: "Opcional 13 (RG 2863) is not 0 or 1.",
	},
	{
		codes: codes{cae.exc(10117)}, with: withOpcionales, invoice: valorOf("14", "0 o 1", isMark),
		es: "La actividad de agencia de publicidad (RG 2863, opcional 14) debe ser 0 (no comprendida) o 1 (comprendida).",
		en: "Opcional 14 (RG 2863) is not 0 or 1.",
	},
	{
		codes: codes{cae.exc(10118)}, with: withOpcionales, invoice: valorOf("15", "0 o 1", isMark),
		es: "La actividad de modelaje (RG 2863, opcional 15) debe ser 0 (no comprendida) o 1 (comprendida).",
		en: "Opcional 15 (RG 2863) is not 0 or 1.",
	},
}

// The document of the payer of a private school.
const opcionalPayerDocTipo, opcionalPayerDocNro = "1011", "1012"

func isMark(valor string) bool { return valor == "0" || valor == "1" }

func payerHasDocument(c *invoiceCheck) {
	kind, _ := c.opcional(opcionalPayerDocTipo)
	expected, right := "hasta 20 caracteres", func(valor string) bool { return isText(valor, 20) }
	switch kind {
	case "80", "86", "87", "96":
		expected, right = "hasta 11 dígitos", isDocument
	}
	for i := range c.opcionales() {
		if o := &c.opcionales()[i]; o.Id == opcionalPayerDocNro && o.Valor != "" && !right(o.Valor) {
			f := c.wrongItem(opcionalList, i, "Valor", o.Valor, expected)
			f.Text = told("El documento del titular del pago (opcional 1012) lleva "+expected+", sin puntos ni guiones", f.Pointer, o.Valor, false)
		}
	}
}

// payerGoesWithTheMark leaves a mark that is neither 0 nor 1 to rule 10097.
func payerGoesWithTheMark(c *invoiceCheck) {
	switch mark, _ := c.opcional("10"); mark {
	case "0":
		c.opcionalIsNotFor(opcionalPayerDocTipo, opcionalPayerDocNro)
	case "1":
		_, kind := c.opcional(opcionalPayerDocTipo)
		_, document := c.opcional(opcionalPayerDocNro)
		if !kind || !document {
			f := c.find(c.pointer(opcionalList))
			f.Expected = "los opcionales 1011 y 1012"
			f.Text = "El opcional 10 es 1: informe el titular del pago en los opcionales 1011 y 1012"
		}
	}
}

// payerNeedsTheMark leaves a mark of 0 to rule 10113.
func payerNeedsTheMark(c *invoiceCheck) {
	if _, sent := c.opcional("10"); !sent {
		c.opcionalIsNotFor(opcionalPayerDocTipo, opcionalPayerDocNro)
	}
}
