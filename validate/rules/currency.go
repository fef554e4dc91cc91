package rules

import (
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
)

// pesos is the currency that has no rate.
const pesos = "PES"

// inItsCurrency is the CanMisMonExt of an invoice that is paid in its own foreign
// currency, notInItsCurrency the CanMisMonExt of any other.
const (
	inItsCurrency    = "S"
	notInItsCurrency = "N"
)

// currencyRules are about the currency and its rate.
var currencyRules = []rule{
	{
		codes: codes{cae.exc(10037), caea.exc(1401)}, invoice: currencyIsKnown,
		es: "MonId debe ser una moneda de FEParamGetTiposMonedas, como PES (pesos), DOL (dólares) o 060 (euros).",
		en: "MonId is missing or not one of FEParamGetTiposMonedas.",
	},
	{
		// That the rate of an invoice paid in its own currency is exactly the official one is a
		// sentence of rateRules.
		codes: codes{cae.exc(10038)}, invoice: rateIsThere,
		es: "MonCotiz debe ser mayor que 0; solo puede omitirse con CanMisMonExt S.",
		en: "MonCotiz is missing without CanMisMonExt S, or not greater than 0.",
	},
	{
		codes: codes{cae.exc(10039)}, invoice: rateOfPesosIsOne,
		es: "En pesos, MonCotiz es obligatorio y debe ser 1.",
		en: "MonCotiz is missing or not 1 in pesos.",
	},
	{
		codes: codes{caea.exc(726)},
		invoice: func(c *invoiceCheck) {
			rateIsThere(c)
			rateOfPesosIsOne(c)
			rateHasItsDigits(c)
			if wsfev1.IsNote(c.CbteTipo) {
				reportedRateIsThere(c)
			}
		},
		es: "MonCotiz debe ser mayor que 0, 1 en pesos, y tener a lo sumo 4 enteros y 6 decimales; con CanMisMonExt S solo las facturas pueden omitirlo.",
		en: "MonCotiz is missing, not greater than 0, not 1 in pesos, or has more than 4 digits and 6 decimals; only invoices may leave it out, with CanMisMonExt S.",
	},
	{
		// "Factura", the manual has. That receipts and settlements are none is inferred.
		codes: codes{caea.exc(726)}, types: all(wsfev1.IsInformable, not(wsfev1.IsNote), not(fceInvoice), not(plainInvoice)),
		level: validate.Observe, invoice: reportedRateIsThere,
		also: []Source{byWeakGround},
		es:   "Con CAEA, MonCotiz puede omitirse solo en facturas, con CanMisMonExt S.",
		en:   "MonCotiz is left out of a voucher that is no invoice, which the service allows to invoices alone under a CAEA.",
	},
	{
		codes: codes{cae.exc(10239), caea.exc(820)}, from: conditionInForce, invoice: sameCurrencyIsYesOrNo,
		es: "CanMisMonExt debe ser S, si se paga en la misma moneda extranjera, o N.",
		en: "CanMisMonExt is not S or N.",
	},
	{
		// The meaning of the service's margin of 1 is not known.
		codes: codes{cae.exc(10240), caea.obs(821)}, from: conditionInForce, level: validate.Off,
		es: "MonCotiz supera la cotización oficial.",
		en: "MonCotiz is greater than the official rate by more than it may be.",
	},
	{
		codes: codes{cae.exc(10241), caea.obs(822)}, from: conditionInForce, invoice: pesosAreNotForeign,
		es: "En pesos no corresponde CanMisMonExt S: quítelo o informe N.",
		en: "CanMisMonExt is S in pesos.",
	},
}

func currencyIsKnown(c *invoiceCheck) {
	if !c.isMoneda(c.MonId) {
		c.wrong("MonId", c.MonId, "una de FEParamGetTiposMonedas: PES pesos, DOL dólares, 060 euros")
	}
}

// rateIsThere leaves pesos to rateOfPesosIsOne, and a rate that is missing to 10239
// where CanMisMonExt is neither S nor N.
func rateIsThere(c *invoiceCheck) {
	switch {
	case c.MonId == pesos:
	case c.MonCotiz.Sent():
		if c.MonCotiz.Sign() <= 0 {
			c.wrong("MonCotiz", figure(c.MonCotiz), "más de 0").Text = "MonCotiz es " + rateInWords(c.MonCotiz) + ": debe ser mayor que 0"
		}
	case c.CanMisMonExt == "" || c.CanMisMonExt == notInItsCurrency:
		c.find(c.pointer("MonCotiz")).Text = "Falta MonCotiz: solo puede omitirse en moneda extranjera con CanMisMonExt S"
	}
}

// reportedRateIsThere finds a rate that was left out with CanMisMonExt S, which under a CAEA only
// invoices may do. Whether the currency has a rate at the Banco Nación, as that needs too, is for
// the service to know.
func reportedRateIsThere(c *invoiceCheck) {
	if c.MonId != pesos && !c.MonCotiz.Sent() && c.CanMisMonExt == inItsCurrency {
		c.find(c.pointer("MonCotiz")).Text = "Falta MonCotiz: con CAEA, " + aVoucher(c.CbteTipo) + " lo informa siempre; solo una factura puede omitirlo, con CanMisMonExt S"
	}
}

// rateOfPesosIsOne finds a rate that was left out too: there is none to fall back on.
func rateOfPesosIsOne(c *invoiceCheck) {
	if c.MonId != pesos || c.MonCotiz.Equal(one) {
		return
	}
	f := c.find(c.pointer("MonCotiz"))
	f.Expected = "1"
	if c.MonCotiz.Sent() {
		f.Got = figure(c.MonCotiz)
		f.Text = "MonCotiz es " + rateInWords(c.MonCotiz) + ": en pesos debe ser 1"
	} else {
		f.Text = "Falta MonCotiz: en pesos es 1"
	}
}

var one = wsfev1.MustAmount("1")

// rateHasItsDigits is 10056 in the other operation.
func rateHasItsDigits(c *invoiceCheck) {
	if c.MonId != pesos && !c.MonCotiz.Fits(4, 6) {
		c.wrong("MonCotiz", validate.Printable(c.MonCotiz.String()), "a lo sumo 4 enteros y 6 decimales").Text = tooLong("MonCotiz", c.MonCotiz, 4, 6)
	}
}

// sameCurrencyIsYesOrNo cannot distinguish an empty text from an absent one: that is left to
// the service.
func sameCurrencyIsYesOrNo(c *invoiceCheck) {
	if m := c.CanMisMonExt; m != "" && m != inItsCurrency && m != notInItsCurrency {
		c.wrong("CanMisMonExt", m, "S o N")
	}
}

// pesosAreNotForeign lets N pass, which an older text of the rule forbade too.
func pesosAreNotForeign(c *invoiceCheck) {
	if c.MonId == pesos && c.CanMisMonExt == inItsCurrency {
		c.wrong("CanMisMonExt", c.CanMisMonExt, "N, o sin informar").Text = "CanMisMonExt S no va en pesos: quítelo, o informe N"
	}
}
