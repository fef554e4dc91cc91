package rules

// firmanteRules are about RG 3668: class A invoices of restaurants, hotels and the like, with
// the receiver's declaration why the IVA may be computed, and its signer.
var firmanteRules = []rule{
	{
		// The classes A of FCE are not among the types that the service names.
		codes: codes{cae.exc(10086), caea.exc(1505)}, types: only(1, 2, 3, 4, 5, 34, 39, 60, 63),
		with: withOpcionales, invoice: signerGoesAlone,
		es: "Con los datos de la RG 3668 solo se informan los opcionales 5, 61, 62 y 7.",
		en: "Data of RG 3668 come with an Opcional other than 5, 61, 62 and 7.",
	},
	{
		codes: codes{cae.exc(10088), caea.exc(1506)}, with: withOpcionales,
		invoice: valorOf("5", "2 caracteres", func(valor string) bool { return len(valor) == 2 && isText(valor, 2) }),
		es:      "El motivo de la excepción (opcional 5) debe tener 2 caracteres.",
		en:      "Opcional 5, the reason of the exception, has not 2 characters.",
	},
	{
		codes: codes{cae.exc(10089), caea.exc(1507)}, with: withOpcionales,
		invoice: valorOf("5", "01 a 06", func(valor string) bool {
			return len(valor) != 2 || !isText(valor, 2) || valor >= "01" && valor <= "06" && areDigits(valor, 2) // else rule 10088
		}),
		es: "El motivo de la excepción (opcional 5) debe ser uno de los de la RG 3668, 01 a 06.",
		en: "Opcional 5, the reason of the exception, is not 01 to 06.",
	},
	{
		codes: codes{cae.exc(10090), caea.exc(1508)}, with: withOpcionales,
		invoice: valorOf("61", "2 dígitos", isTwoDigits),
		es:      "El tipo de documento del firmante (opcional 61) se escribe con 2 dígitos.",
		en:      "Opcional 61, the kind of document of the signer, is not 2 digits.",
	},
	{
		codes: codes{cae.exc(10091), caea.exc(1509)}, with: withOpcionales,
		invoice: listedValorOf("61", "un Id de FEParamGetTiposDoc", func(c *invoiceCheck, valor string) bool {
			return !isTwoDigits(valor) || c.isDocTipo(digitsValue(valor)) // else rule 10090
		}),
		es: "El tipo de documento del firmante (opcional 61) debe ser uno de FEParamGetTiposDoc.",
		en: "Opcional 61, the kind of document of the signer, is not one of FEParamGetTiposDoc.",
	},
	{
		codes: codes{cae.exc(10092), caea.exc(1510)}, with: withOpcionales,
		invoice: valorOf("62", "hasta 11 dígitos", isDocument),
		es:      "El documento del firmante (opcional 62) lleva hasta 11 dígitos, sin puntos ni guiones.",
		en:      "Opcional 62, the document of the signer, is not 1 to 11 digits.",
	},
	{
		codes: codes{cae.exc(10094), caea.exc(1511)}, with: withOpcionales,
		invoice: valorOf("7", "2 dígitos", isTwoDigits),
		es:      "El carácter del firmante (opcional 7) se escribe con 2 dígitos.",
		en:      "Opcional 7, the capacity of the signer, is not 2 digits.",
	},
	{
		codes: codes{cae.exc(10095), caea.exc(1512)}, with: withOpcionales,
		invoice: valorOf("7", "01 a 04", func(valor string) bool {
			return !isTwoDigits(valor) || valor >= "01" && valor <= "04" // else rule 10094
		}),
		es: "El carácter del firmante (opcional 7) debe ser 01 (titular), 02 (director o presidente), 03 (apoderado) o 04 (empleado).",
		en: "Opcional 7, the capacity of the signer, is not 01 to 04.",
	},
}

// isOfSigner reports whether an Id is one of RG 3668.
func isOfSigner(id string) bool { return id == "5" || id == "61" || id == "62" || id == "7" }

func isTwoDigits(valor string) bool { return areDigits(valor, 2) }

// isDocument reports whether a text is the number of a document: 11 digits at most.
func isDocument(valor string) bool {
	return len(valor) <= 11 && valor != "" && areDigits(valor, len(valor))
}

// signerGoesAlone holds for an invoice that has data of RG 3668 at all.
func signerGoesAlone(c *invoiceCheck) {
	for i := range c.opcionales() {
		if isOfSigner(c.opcionales()[i].Id) {
			c.othersAreNot(isOfSigner, "5, 61, 62 o 7")
			return
		}
	}
}

// othersAreNot finds the items that belong to another regulation than the one that has the
// own Ids.
func (c *invoiceCheck) othersAreNot(own func(id string) bool, expected string) {
	for i := range c.opcionales() {
		if id := c.opcionales()[i].Id; !own(id) && !goesWithEverything(id) {
			c.wrongItem(opcionalList, i, "Id", id, expected)
		}
	}
}
