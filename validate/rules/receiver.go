package rules

import (
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
)

// The kinds of document that rules depend on. CUIT, CUIL and CDI are numbers of the tax
// register.
const (
	docMigration = 30 // only in the purchase of used goods
	docFCI       = 31
	docCUIT      = 80
	docCUIL      = 86
	docCDI       = 87
	docNone      = 99 // a consumer who is not identified
)

func inTaxRegister(docTipo int32) bool {
	return docTipo == docCUIT || docTipo == docCUIL || docTipo == docCDI
}

// receiverRules are about the receiver.
var receiverRules = []rule{
	{
		codes: codes{cae.exc(10013)}, types: classA, invoice: receiverHasCUIT,
		es: cuitES, en: cuitEN,
	},
	{
		// Class ALEY is not named here by the service.
		codes: codes{caea.exc(1403)}, types: ofClass(wsfev1.ClassA), invoice: receiverHasCUIT,
		es: cuitES, en: cuitEN,
	},
	{
		codes: codes{cae.exc(10015)}, types: plainB, invoice: receiverOfB,
		also: []Source{rgThreshold, byNumber, seenThreshold},
		es:   receiverES, en: receiverEN,
	},
	{
		codes: codes{cae.exc(10015)}, types: plainB, level: validate.Observe, invoice: receiverOfBMayBeNeeded,
		also: []Source{byEnvironment},
		es:   receiverES, en: receiverEN,
	},
	{
		// The manual asks it of other classes; the range comes from 1421.
		codes: codes{cae.exc(10015)}, types: all(classA, not(wsfev1.IsFCE)), invoice: receiverOfA,
		also: []Source{seenInClassA, byNumber}, unlisted: true,
		es: receiverES, en: receiverEN,
	},
	{
		codes: codes{cae.exc(10015)}, types: ofClass(wsfev1.Class49), invoice: sellerOfUsedGoods,
		also: []Source{byNumber},
		es:   receiverES, en: receiverEN,
	},
	{
		codes: codes{cae.exc(10015)}, types: wsfev1.IsFCE, invoice: receiverOfFCE,
		also: []Source{byNumber},
		es:   receiverES, en: receiverEN,
	},
	{
		codes: codes{cae.exc(10014)}, types: plainB, invoice: averageIsBelowThreshold,
		also: []Source{rgThreshold},
		es:   averageES, en: averageEN,
	},
	{
		codes: codes{caea.exc(1422)}, types: plainB, invoice: averageIsBelowThreshold,
		also: []Source{rgThreshold},
		es:   averageES, en: averageEN,
	},
	{
		codes: codes{cae.exc(10014), caea.exc(1422)}, types: plainB, level: validate.Observe, invoice: averageMayReachThreshold,
		also: []Source{byEnvironment},
		es:   averageES, en: averageEN,
	},
	{
		// An FCE is rejected for it.
		codes: codes{cae.obs(10017)}, types: all(classA, not(wsfev1.IsFCE)), invoice: receiverMayBeRegistered,
		also: []Source{byNumber},
		es:   unregisteredES, en: unregisteredEN,
	},
	{
		codes: codes{cae.exc(10069)}, invoice: receiverIsNotIssuer,
		es: sameES, en: sameEN,
	},
}

const (
	cuitES         = "En clase A, DocTipo debe ser 80 (CUIT)."
	cuitEN         = "DocTipo is not 80 in class A."
	receiverES     = "El documento del receptor no es válido para este comprobante, o no está en el padrón."
	receiverEN     = "The receiver's document is not one for this voucher, or not in the register."
	unregisteredES = "La CUIT del receptor no está activa en el padrón."
	unregisteredEN = "The receiver's CUIT is not registered and active."
	sameES         = "El receptor no puede ser el mismo emisor: informe el DocNro del receptor."
	sameEN         = "DocNro is the CUIT of the issuer."
	averageES      = "El promedio del rango alcanza el importe desde el que se identifica al receptor: emita un comprobante por operación."
	averageEN      = "The average amount of a range reaches that from which a receiver must be identified."
)

func receiverHasCUIT(c *invoiceCheck) {
	if c.DocTipo != docCUIT {
		f := c.wrong("DocTipo", number(c.DocTipo), "80")
		if f.Text = "En clase A, DocTipo debe ser 80 (CUIT) y es " + document(c.DocTipo); f.Got == "" {
			f.Text = "Falta DocTipo: en clase A es 80 (CUIT)"
		}
	}
}

// isRange reports whether the invoice is a range of numbers. One that is reversed, or
// has a number that is none, is neither that nor single.
func (c *invoiceCheck) isRange() bool {
	return c.CbteDesde < c.CbteHasta && numbersAre(c.FECAEDetRequest)
}

func (c *invoiceCheck) isSingle() bool { return c.CbteDesde == c.CbteHasta }

func averageIsBelowThreshold(c *invoiceCheck) {
	if c.rangeReachesThreshold() {
		c.averageIsTooHigh(c.consumerFinal().most, "desde $ "+inWords(c.consumerFinal().most)+" cada uno se identifica al receptor")
	}
}

func averageMayReachThreshold(c *invoiceCheck) {
	if c.isRange() && c.mayReachThreshold(c.vouchers()) {
		c.averageIsTooHigh(c.consumerFinal().least, c.consumerFinal().inWords()+" cada uno se identifica al receptor")
	}
}

func (c *invoiceCheck) averageIsTooHigh(threshold wsfev1.Amount, reason string) {
	n := number(c.vouchers())
	f := c.wrong("ImpTotal", money(c.inPesos())+" pesos en "+n+" comprobantes", "menos de "+money(threshold)+" por comprobante")
	f.Text = "Son " + c.pesosInWords() + " en " + n + " comprobantes: " + reason + ", así que emita un comprobante por operación"
}

// knowsDocTipo reports whether the kind of document is one for this voucher today.
func (c *invoiceCheck) knowsDocTipo() bool {
	switch c.DocTipo {
	case docFCI:
		return c.calendar.today >= "20260702" || c.listed(TiposDoc, number(c.DocTipo))
	case docMigration:
		return c.Class == wsfev1.Class49 || c.listed(TiposDoc, number(c.DocTipo))
	}
	return c.isDocTipo(c.DocTipo)
}

// receiverOfB leaves to the service whether a number that can exist is registered.
func receiverOfB(c *invoiceCheck) {
	switch {
	case c.isRange():
		receiverOfRange(c)
	case c.isSingle() && c.DocTipo != docNone:
		c.identifiedReceiver()
	case c.isSingle() && c.reachesThreshold(1):
		c.wrongReceiver("Desde $ "+inWords(c.consumerFinal().most)+" se identifica al receptor, y este comprobante es de "+
			c.pesosInWords()+": informe su DocTipo y DocNro", "otro DocTipo, con su DocNro")
	case c.isSingle():
		c.anonymousReceiver()
	}
}

// receiverOfBMayBeNeeded is receiverOfB between the amounts of the environments.
func receiverOfBMayBeNeeded(c *invoiceCheck) {
	if c.isSingle() && c.DocTipo == docNone && c.DocNro == 0 && c.mayReachThreshold(1) {
		c.wrongReceiver(capital(c.consumerFinal().inWords())+" se identifica al receptor, y este comprobante es de "+
			c.pesosInWords()+": informe su DocTipo y DocNro"+c.ifTheSmallerHolds(), "otro DocTipo, con su DocNro")
	}
}

// ifTheSmallerHolds ends a text about a threshold that is one of two.
func (c *invoiceCheck) ifTheSmallerHolds() string {
	if t := c.consumerFinal(); t.least.Equal(t.most) {
		return ""
	}
	return " si ya rige el menor"
}

// anonymousReceiver finds the number of nobody.
func (c *invoiceCheck) anonymousReceiver() {
	if c.DocNro != 0 {
		f := c.find(c.pointer("DocNro"))
		f.Expected, f.Got = "0", number(c.DocNro)
		f.Text = "Con DocTipo 99 (sin identificar), DocNro debe ser 0 y es " + f.Got
	}
}

// receiverOfRange leaves a range that is too large to be one to the rule on its
// average.
func receiverOfRange(c *invoiceCheck) {
	if c.isRange() && (c.DocTipo != docNone || c.DocNro != 0) && !c.rangeReachesThreshold() {
		c.wrongReceiver("En un rango, el receptor es DocTipo 99 con DocNro 0, y se informaron "+document(c.DocTipo)+" y "+number(c.DocNro), "99 y 0")
	}
}

// wrongReceiver points at DocTipo and shows both members.
func (c *invoiceCheck) wrongReceiver(text, expected string) {
	f := c.find(c.pointer("DocTipo"))
	f.Text, f.Expected, f.Got = text, expected, number(c.DocTipo)+" y "+number(c.DocNro)
}

// identifiedReceiver finds the mistakes in a document that identifies the receiver.
func (c *invoiceCheck) identifiedReceiver() {
	switch {
	case !c.knowsDocTipo():
		f := c.find(c.pointer("DocTipo"))
		f.Got = number(c.DocTipo)
		f.Text = "DocTipo " + f.Got + " no se admite en este comprobante: consulte FEParamGetTiposDoc"
	case c.DocNro <= 0 && c.req.Absent(c.pointer("DocTipo")):
		c.find(c.pointer("DocTipo")).Text = "Falta DocTipo: sin él no se sabe quién es el receptor"
	case c.DocNro <= 0:
		f := c.find(c.pointer("DocNro"))
		f.Got = number(c.DocNro)
		f.Text = "Falta el número de documento del receptor: con DocTipo " + document(c.DocTipo) + ", DocNro debe ser mayor que 0"
	case inTaxRegister(c.DocTipo):
		c.numberOfTaxRegister()
	}
}

// numberOfTaxRegister finds a number that cannot be in the register. The number of receivers
// that are not categorised can.
func (c *invoiceCheck) numberOfTaxRegister() {
	if !wsfev1.CUIT(c.DocNro).Valid() {
		f := c.find(c.pointer("DocNro"))
		f.Got = number(c.DocNro)
		f.Text = "DocNro " + f.Got + " no es una CUIT, CUIL ni CDI: son 11 dígitos y el último es verificador"
		if digit, ok := checkDigit(c.DocNro); ok {
			f.Text = "DocNro " + f.Got + " no es una CUIT, CUIL ni CDI: con los primeros 10 dígitos, el verificador es " + digit + "; revise los 11"
		}
	}
}

func sellerOfUsedGoods(c *invoiceCheck) {
	if c.DocTipo == docNone {
		c.wrongReceiver("En la compra de bienes usados se identifica al vendedor: informe su DocTipo y DocNro", "otro DocTipo, con su DocNro")
		return
	}
	c.identifiedReceiver()
}

// receiverOfFCE leaves the DocTipo of class A to 10013.
func receiverOfFCE(c *invoiceCheck) {
	switch {
	case c.DocTipo == docCUIT:
		c.numberOfTaxRegister()
	case c.Class != wsfev1.ClassA:
		f := c.find(c.pointer("DocTipo"))
		f.Expected, f.Got = "80", number(c.DocTipo)
		f.Text = "En una FCE, DocTipo debe ser 80 (CUIT) y es " + document(c.DocTipo)
	}
}

// receiverOfA finds a number that no CUIT can be. One of that range with a wrong check digit was
// seen to pass with the remark 10017.
func receiverOfA(c *invoiceCheck) {
	if c.DocTipo == docCUIT && !isNumberOfA(c.DocNro) {
		f := c.find(c.pointer("DocNro"))
		c.explain(f, number(c.DocNro), rangeOfA)
		if f.Text = "DocNro " + f.Got + " no es una CUIT: informe los 11 dígitos de la del receptor"; f.Got == "" {
			f.Text = "Falta DocNro: informe los 11 dígitos de la CUIT del receptor"
		}
	}
}

// receiverMayBeRegistered finds a CUIT that cannot be in the register; whether one that can is
// there is left to the service. A number out of the range of class A is 10015's, or 1421's.
func receiverMayBeRegistered(c *invoiceCheck) {
	if c.DocTipo == docCUIT && isNumberOfA(c.DocNro) {
		c.numberOfTaxRegister()
	}
}

func receiverIsNotIssuer(c *invoiceCheck) {
	if c.DocNro == int64(c.Issuer) {
		c.wrong("DocNro", number(c.DocNro), "otro que el del emisor").Text = "DocNro " + number(c.DocNro) + " es la CUIT del emisor: informe la del receptor"
	}
}
