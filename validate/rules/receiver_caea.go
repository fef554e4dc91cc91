package rules

import (
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
)

// reportedReceiverRules are about the receiver of an invoice that is reported under a
// CAEA, where the sentences of 10015 have codes of their own. The sentences about FCE are
// with the rules of FCE.
var reportedReceiverRules = []rule{
	{
		codes: codes{caea.exc(1404)}, types: plainBOrC, invoice: reportedDocTipoIsKnown,
		es: "DocTipo debe ser uno de FEParamGetTiposDoc.",
		en: "DocTipo is not one of FEParamGetTiposDoc.",
	},
	{
		codes: codes{caea.exc(1405)}, types: ofClass(wsfev1.ClassB, wsfev1.ClassC), invoice: docNroIsInRange,
		es: "DocNro debe estar entre 0 y 99999999999.",
		en: "DocNro is not between 0 and 99999999999.",
	},
	{
		codes: codes{caea.exc(1421)}, types: ofClass(wsfev1.ClassA), invoice: docNroIsOneOfA,
		es: "En clase A, DocNro debe estar entre 20000000000 y 60000000000.",
		en: "DocNro is not between 20000000000 and 60000000000 in class A.",
	},
	{
		codes: codes{caea.exc(788)}, invoice: reportedReceiverIsNotIssuer,
		es: sameES, en: sameEN,
	},
	{
		codes: codes{caea.exc(1415)}, types: plainB, invoice: receiverOfRange,
		also: []Source{rgThreshold},
		es:   "En un rango, el receptor es DocTipo 99 con DocNro 0.",
		en:   "The receiver of a range is not DocTipo 99 with DocNro 0.",
	},
	{
		codes: codes{caea.exc(1417)}, types: plainBOrC, invoice: largeInvoiceNamesReceiver,
		also: []Source{rgThreshold},
		es:   "Por el importe se identifica al receptor: informe su DocTipo, distinto de 99, y su DocNro.",
		en:   "The receiver is not identified although the amount asks for it.",
	},
	{
		codes: codes{caea.exc(1417)}, types: plainBOrC, level: validate.Observe, invoice: largeInvoiceMayNameReceiver,
		also: []Source{byEnvironment},
		es:   "Por el importe se identifica al receptor: informe su DocTipo, distinto de 99, y su DocNro.",
		en:   "The receiver is not identified although the amount asks for it.",
	},
	{
		codes: codes{caea.exc(1418)}, types: plainBOrC, invoice: nobodyHasNoNumber,
		also: []Source{rgThreshold},
		es:   "Con DocTipo 99 (sin identificar), DocNro debe ser 0.",
		en:   "DocNro is not 0 with DocTipo 99.",
	},
	{
		codes: codes{caea.exc(1419)}, types: plainBOrC, invoice: somebodyHasNumber,
		also: []Source{rgThreshold},
		es:   "Con DocTipo distinto de 99, DocNro debe ser mayor que 0.",
		en:   "DocNro is 0 with a DocTipo other than 99.",
	},
	{
		codes: codes{caea.obs(708)}, types: all(ofClass(wsfev1.ClassA), not(wsfev1.IsFCE)), invoice: receiverMayBeRegistered,
		also: []Source{byNumber},
		es:   unregisteredES, en: unregisteredEN,
	},
	{
		codes: codes{caea.obs(1420)}, types: plainBOrC, invoice: reportedReceiverMayBeRegistered,
		also: []Source{byNumber},
		es:   "La CUIT, CUIL o CDI del receptor no está en el padrón.",
		en:   "The receiver's CUIT, CUIL or CDI is not registered.",
	},
}

// plainBOrC are classes B and C without their FCE.
var plainBOrC = all(ofClass(wsfev1.ClassB, wsfev1.ClassC), not(wsfev1.IsFCE))

// rangeOfA is what isNumberOfA expects.
const rangeOfA = "20000000000 a 60000000000"

// isNumberOfA and isDocNro are the ranges of 1421 and 1405.
func isNumberOfA(n int64) bool { return n >= 20_000_000_000 && n <= 60_000_000_000 }
func isDocNro(n int64) bool    { return n >= 0 && n <= 99_999_999_999 }

// reportedDocTipoIsKnown asks where a number was sent too, as the service does.
func reportedDocTipoIsKnown(c *invoiceCheck) {
	if c.DocNro != 0 && !c.knowsDocTipo() {
		c.wrong("DocTipo", number(c.DocTipo), "")
	}
}

func docNroIsInRange(c *invoiceCheck) {
	if !isDocNro(c.DocNro) {
		c.wrong("DocNro", number(c.DocNro), "0 a 99999999999")
	}
}

func docNroIsOneOfA(c *invoiceCheck) {
	if c.DocTipo == docCUIT && !isNumberOfA(c.DocNro) {
		c.wrong("DocNro", number(c.DocNro), rangeOfA)
	}
}

// reportedReceiverIsNotIssuer asks of a CUIT alone, unlike its twin.
func reportedReceiverIsNotIssuer(c *invoiceCheck) {
	if c.DocTipo == docCUIT {
		receiverIsNotIssuer(c)
	}
}

// largeInvoiceNamesReceiver, nobodyHasNoNumber and somebodyHasNumber are the three
// halves of one question: each speaks where the other two do not.
func largeInvoiceNamesReceiver(c *invoiceCheck) {
	if c.isSingle() && (c.DocTipo == docNone || c.DocNro == 0) && c.reachesThreshold(1) {
		c.wrongReceiver("Desde $ "+inWords(c.consumerFinal().most)+" se identifica al receptor: informe su DocTipo y DocNro", "otro DocTipo, con su DocNro")
	}
}

func largeInvoiceMayNameReceiver(c *invoiceCheck) {
	if c.isSingle() && c.DocTipo == docNone && c.DocNro == 0 && c.mayReachThreshold(1) {
		c.wrongReceiver(capital(c.consumerFinal().inWords())+" se identifica al receptor: informe su DocTipo y DocNro"+c.ifTheSmallerHolds(), "otro DocTipo, con su DocNro")
	}
}

func nobodyHasNoNumber(c *invoiceCheck) {
	if c.isSingle() && c.DocTipo == docNone && c.DocNro != 0 && isDocNro(c.DocNro) && !c.reachesThreshold(1) {
		c.wrong("DocNro", number(c.DocNro), "0")
	}
}

func somebodyHasNumber(c *invoiceCheck) {
	if c.isSingle() && c.DocTipo != docNone && c.DocNro == 0 && !c.reachesThreshold(1) {
		c.wrong("DocNro", number(c.DocNro), "más de 0")
	}
}

// reportedReceiverMayBeRegistered finds a number that cannot be in the register;
// whether one that can is there is left to the service.
func reportedReceiverMayBeRegistered(c *invoiceCheck) {
	if c.isSingle() && inTaxRegister(c.DocTipo) && c.DocNro != 0 && isDocNro(c.DocNro) {
		c.numberOfTaxRegister()
	}
}
