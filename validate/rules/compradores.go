package rules

import "github.com/fielato/fielato/wsfev1"

// mayHaveBuyers are the types whose Compradores are looked at further: the others
// are rules 10007's, 10134's and 10194's.
var mayHaveBuyers = all(ofClass(wsfev1.ClassA, wsfev1.ClassB, wsfev1.ClassC, wsfev1.ClassALEY), not(wsfev1.IsFCE))

// compradorRules are about the buyers of an invoice that has several.
var compradorRules = []rule{
	{
		codes: codes{cae.exc(10133)}, types: mayHaveBuyers, with: withCompradores, invoice: buyersAreNotEmpty,
		es: "Compradores se informó vacío: agregue al menos dos Comprador, o no lo envíe.",
		en: "Compradores has no Comprador.",
	},
	{
		codes: codes{cae.exc(10134)}, types: ofClass(wsfev1.Class49), with: withCompradores, invoice: hasNoBuyers,
		es: "Solo los comprobantes clase A, B, C y A con leyenda admiten Compradores: no los envíe.",
		en: "A voucher that is not of class A, B, C or ALEY has Compradores.",
	},
	{
		codes: codes{cae.exc(10135)}, types: mayHaveBuyers, with: withCompradores, invoice: buyersHaveDocTipo,
		es: "Falta Comprador.DocTipo: 80 (CUIT), 86 (CUIL) u 87 (CDI).",
		en: "Comprador.DocTipo is missing.",
	},
	{
		codes: codes{cae.exc(10136)}, types: mayHaveBuyers, with: withCompradores, invoice: receiverMayShare,
		es: "Compradores se admite solo si el receptor se identifica con CUIT (80), CUIL (86) o CDI (87).",
		en: "There are Compradores, and the receiver is not identified by CUIT, CUIL or CDI.",
	},
	{
		codes: codes{cae.exc(10137)}, types: mayHaveBuyers, with: withCompradores, invoice: buyersAreTaxpayers,
		es: "Comprador.DocTipo debe ser 80 (CUIT), 86 (CUIL) u 87 (CDI).",
		en: "Comprador.DocTipo is not CUIT, CUIL or CDI.",
	},
	{
		codes: codes{cae.exc(10138)}, types: mayHaveBuyers, with: withCompradores, invoice: buyersHaveDocNro,
		es: "Falta Comprador.DocNro: los 11 dígitos del comprador.",
		en: "Comprador.DocNro is missing.",
	},
	{
		codes: codes{cae.exc(10139)}, types: mayHaveBuyers, with: withCompradores, invoice: buyersHaveElevenDigits,
		es: "Comprador.DocNro debe tener 11 dígitos.",
		en: "Comprador.DocNro has not 11 digits.",
	},
	{
		codes: codes{cae.exc(10140)}, types: mayHaveBuyers, with: withCompradores, invoice: issuerIsNoBuyer,
		es: "El emisor no puede ser uno de los compradores: quítelo.",
		en: "The issuer is one of the buyers.",
	},
	{
		codes: codes{cae.exc(10141)}, types: mayHaveBuyers, with: withCompradores, invoice: buyersAreNotRepeated,
		es: "El comprador está repetido: informe una vez a cada uno.",
		en: "A buyer is given more than once.",
	},
	{
		codes: codes{cae.exc(10148)},
		es:    "El comprador no está activo en el padrón.",
		en:    "A buyer is not active in the register.",
	},
	{
		codes: codes{cae.exc(10149)},
		es:    "En clase A, el receptor o algún comprador debe estar activo en IVA o Monotributo.",
		en:    "In class A or ALEY neither the receiver nor any buyer is active in IVA or Monotributo.",
	},
	{
		codes: codes{cae.exc(10150)}, types: mayHaveBuyers, with: withCompradores, invoice: buyersBuyProducts,
		es: "Compradores se admite solo con Concepto 1 (productos).",
		en: "There are Compradores, and Concepto is not 1.",
	},
	{
		codes: codes{cae.exc(10194)}, types: wsfev1.IsFCE, with: withCompradores, invoice: hasNoBuyers,
		es: "Un comprobante FCE no admite Compradores: no los envíe.",
		en: "A credit invoice MiPyME, or its note, has Compradores.",
	},
	{
		codes: codes{caea.exc(1432)}, with: withCompradores, invoice: hasNoBuyers,
		es: "Un comprobante informado por CAEA no admite Compradores: no los envíe.",
		en: "An invoice that is reported under a CAEA has Compradores.",
	},
}

// buyers returns the buyers. Rules with withCompradores may ask for them.
func (c *invoiceCheck) buyers() []wsfev1.Comprador { return c.Compradores.Comprador }

// buyerList is where they are.
const buyerList = "Compradores/Comprador"

// isTaxpayerDoc reports whether a DocTipo is CUIT, CUIL or CDI.
func isTaxpayerDoc(docTipo int32) bool { return docTipo == 80 || docTipo == 86 || docTipo == 87 }

func buyersAreNotEmpty(c *invoiceCheck) {
	if len(c.buyers()) == 0 {
		c.find(c.pointer(buyerList))
	}
}

// An empty list counts as sent.
func hasNoBuyers(c *invoiceCheck) { c.find(c.pointer("Compradores")) }

func buyersHaveDocTipo(c *invoiceCheck) {
	for i := range c.buyers() {
		if c.buyers()[i].DocTipo == 0 {
			c.wrongItem(buyerList, i, "DocTipo", "", "80, 86 u 87")
		}
	}
}

func receiverMayShare(c *invoiceCheck) {
	if !isTaxpayerDoc(c.DocTipo) {
		c.wrong("DocTipo", number(c.DocTipo), "80, 86 u 87")
	}
}

func buyersAreTaxpayers(c *invoiceCheck) {
	for i := range c.buyers() {
		if docTipo := c.buyers()[i].DocTipo; docTipo != 0 && !isTaxpayerDoc(docTipo) {
			c.wrongItem(buyerList, i, "DocTipo", number(docTipo), "80, 86 u 87")
		}
	}
}

func buyersHaveDocNro(c *invoiceCheck) {
	for i := range c.buyers() {
		if c.buyers()[i].DocNro == 0 {
			c.find(c.item(buyerList, i, "DocNro"))
		}
	}
}

// Whether the number is a CUIT at all is decided by the register, rule 10148.
func buyersHaveElevenDigits(c *invoiceCheck) {
	for i := range c.buyers() {
		if nro := c.buyers()[i].DocNro; nro != 0 && (nro < 10_000_000_000 || nro > 99_999_999_999) {
			c.wrongItem(buyerList, i, "DocNro", number(nro), "")
		}
	}
}

func issuerIsNoBuyer(c *invoiceCheck) {
	for i := range c.buyers() {
		if nro := c.buyers()[i].DocNro; wsfev1.CUIT(nro) == c.Issuer && nro != 0 {
			c.wrongItem(buyerList, i, "DocNro", number(nro), "")
		}
	}
}

func buyersAreNotRepeated(c *invoiceCheck) {
	type key struct {
		docTipo int32
		docNro  int64
	}
	buyers := c.buyers()
	// Two that lack their numbers are not the same: rule 10138.
	eachRepeat(len(buyers), func(i int) (key, bool) {
		return key{buyers[i].DocTipo, buyers[i].DocNro}, buyers[i].DocNro != 0
	}, func(i int) {
		c.wrongItem(buyerList, i, "DocNro", number(buyers[i].DocNro), "")
	})
}

func buyersBuyProducts(c *invoiceCheck) {
	if c.Concepto == 2 || c.Concepto == 3 {
		c.wrong("Concepto", number(c.Concepto), "1")
	}
}
