package rules

import "github.com/fielato/fielato/wsfev1"

// fundRules are about receivers that are investment funds, DocTipo 31.
var fundRules = []rule{
	{
		codes: codes{cae.exc(10271)}, from: "20260702", types: fundTypes, invoice: fundHasShortNumber,
		es: "El número de un fondo común de inversión (DocTipo 31) tiene a lo sumo 4 dígitos.",
		en: "DocNro has more than 4 digits with DocTipo 31.",
	},
	{
		codes: codes{cae.exc(10272)}, from: "20260702", types: fundTypes, invoice: fundHasCondition15,
		es: "Un fondo común de inversión (DocTipo 31) lleva CondicionIVAReceptorId 15.",
		en: "CondicionIVAReceptorId is not 15 with DocTipo 31.",
	},
	{
		codes: codes{cae.exc(10270)}, from: "20260702",
		es: "DocTipo 31 (fondo común de inversión) es solo para emisores que son entidades financieras.",
		en: "DocTipo 31 is used by an issuer who is no financial entity.",
	},
}

// fundTypes are those whose receiver need not have a CUIT.
var fundTypes = all(notOfClass(wsfev1.ClassA, wsfev1.ClassALEY), not(wsfev1.IsFCE))

func fundHasShortNumber(c *invoiceCheck) {
	if c.DocTipo == docFCI && c.DocNro > 9999 {
		c.wrong("DocNro", number(c.DocNro), "1 a 9999")
	}
}

// fundHasCondition15 leaves a condition that was not sent to the rules that ask for it.
func fundHasCondition15(c *invoiceCheck) {
	if id := c.CondicionIVAReceptorId; c.DocTipo == docFCI && id != nil && *id != 15 {
		c.wrong("CondicionIVAReceptorId", number(*id), "15")
	}
}
