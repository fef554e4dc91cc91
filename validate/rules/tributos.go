package rules

import (
	"strconv"

	"github.com/fielato/fielato/wsfev1"
)

// tributoRules are about taxes other than IVA.
var tributoRules = []rule{
	{
		codes: codes{cae.exc(10024)}, invoice: tributosMatchImpTrib,
		es: tributosMatchES, en: tributosMatchEN,
	},
	{
		codes: codes{caea.exc(1423)}, from: "20180801", invoice: tributosMatchImpTrib,
		es: tributosMatchES, en: tributosMatchEN,
	},
	{
		codes: codes{cae.exc(10025), caea.exc(900)}, with: withTributos, invoice: tributosAreKnown,
		es: "Tributo.Id debe ser uno de FEParamGetTiposTributos: 1 a 9, 13 o 99.",
		en: "Tributo.Id is missing or not one of FEParamGetTiposTributos.",
	},
	{
		// The service's own example of 2011 answers 900 where Tributos is left out. Which
		// codes it had is known from the tables of 2018-08-01 on, and there it is 1423.
		codes: codes{caea.exc(900)}, until: "20180731", unlisted: true, also: []Source{byAge}, invoice: reportedTributosAreThere,
		es: "Falta Tributos, el detalle de ImpTrib.",
		en: "Tributos is missing where ImpTrib is greater than 0, until 2018.",
	},
	{
		codes: codes{cae.exc(10026), caea.exc(905)}, with: withTributos,
		invoice: func(c *invoiceCheck) {
			c.eachTributo("BaseImp", 13, func(t *wsfev1.Tributo) wsfev1.Amount { return t.BaseImp })
		},
		es: "Tributo.BaseImp no puede ser negativo.",
		en: "Tributo.BaseImp is negative.",
	},
	{
		codes: codes{cae.exc(10027), caea.exc(906)}, with: withTributos,
		invoice: func(c *invoiceCheck) {
			c.eachTributo("Alic", 3, func(t *wsfev1.Tributo) wsfev1.Amount { return t.Alic })
		},
		es: "Tributo.Alic no puede ser negativo.",
		en: "Tributo.Alic is negative.",
	},
	{
		codes: codes{cae.exc(10028), caea.exc(907)}, with: withTributos,
		invoice: func(c *invoiceCheck) {
			c.eachTributo("Importe", 13, func(t *wsfev1.Tributo) wsfev1.Amount { return t.Importe })
		},
		es: "Tributo.Importe no puede ser negativo.",
		en: "Tributo.Importe is negative.",
	},
	{
		codes: codes{cae.exc(10029), caea.obs(1406)}, with: withTributos, invoice: tributosAddUp,
		es: "ImpTrib debe ser la suma de los Importe de Tributos.",
		en: "The amounts of Tributo do not add up to ImpTrib.",
	},
	{
		codes: codes{cae.exc(10042)}, with: withTributos,
		invoice: func(c *invoiceCheck) { c.tributosAreDescribed(wsfev1.IsFCE(c.CbteTipo)) },
		es:      "Falta Tributo.Desc: es obligatoria en el Tributo 99, y en todos si el comprobante es FCE.",
		en:      "Tributo 99, or any Tributo of a credit invoice MiPyME, has no Desc.",
	},
	{
		codes: codes{caea.exc(908)}, with: withTributos,
		invoice: func(c *invoiceCheck) { c.tributosAreDescribed(false) },
		es:      "Falta Tributo.Desc: es obligatoria en el Tributo 99.",
		en:      "Tributo 99 has no Desc.",
	},
}

const (
	tributosMatchES = "Informe Tributos cuando ImpTrib sea mayor que 0; si es 0, no lo envíe, ni vacío."
	tributosMatchEN = "ImpTrib is greater than 0 without Tributos or with an empty one, or 0 with Tributos."
)

// otherTributo is the Id of the taxes that have none of their own.
const otherTributo = 99

func tributosMatchImpTrib(c *invoiceCheck) {
	// An empty list counts as sent: that is how the service reads it.
	switch sent := c.Tributos != nil; {
	case c.ImpTrib.Sign() > 0 && !sent:
		c.find(c.pointer("Tributos")).Text = "ImpTrib es " + inWords(c.ImpTrib) + " y no se informó Tributos: agregue su detalle"
	case c.ImpTrib.Sign() > 0 && len(c.tributos()) == 0:
		c.find(c.pointer("Tributos")).Text = "ImpTrib es " + inWords(c.ImpTrib) + " y Tributos se informó vacío: agregue su detalle"
	case c.ImpTrib.Sign() == 0 && sent:
		if len(c.tributos()) == 0 {
			c.find(c.pointer("Tributos")).Text = "ImpTrib es 0: no envíe Tributos, ni vacío"
			return
		}
		c.find(c.pointer("Tributos")).Text = "ImpTrib es 0 y se informó Tributos: informe en ImpTrib la suma de sus Importe, o no envíe Tributos"
	}
}

func reportedTributosAreThere(c *invoiceCheck) {
	if c.ImpTrib.Sign() > 0 && c.Tributos == nil {
		c.find(c.pointer("Tributos"))
	}
}

func (c *invoiceCheck) tributos() []wsfev1.Tributo { return c.Tributos.Tributo }

func tributosAreKnown(c *invoiceCheck) {
	for i := range c.Tributos.Tributo {
		if id := c.Tributos.Tributo[i].Id; !c.isTributo(id) {
			c.wrongItem("Tributos/Tributo", i, "Id", number(id), "1 a 9, 13 o 99")
		}
	}
}

// eachTributo finds the tributes with a negative amount. One that was left out reads as 0:
// real clients leave BaseImp and Alic out, and are not refused.
//
// Under a CAEA the same codes stand for too many digits, which are 10056 in FECAESolicitar.
func (c *invoiceCheck) eachTributo(member string, digits int, amount func(*wsfev1.Tributo) wsfev1.Amount) {
	for i := range c.Tributos.Tributo {
		switch a := amount(&c.Tributos.Tributo[i]); {
		case a.Sign() < 0:
			f := c.wrongItem("Tributos/Tributo", i, member, money(a), "0 o más")
			if f.Text = negative("Tributo."+member, a); member == "Alic" {
				f.Text = "Tributo.Alic es " + inWords(a) + ": la alícuota va sin signo"
			}
		case c.CAEA != nil && !a.Fits(digits, 2):
			f := c.wrongItem("Tributos/Tributo", i, member, a.String(), "a lo sumo "+strconv.Itoa(digits)+" enteros y 2 decimales")
			f.Text = tooLong("Tributo."+member, a, digits, 2)
		}
	}
}

func tributosAddUp(c *invoiceCheck) {
	addUp(c, c.Tributos.Tributo, func(t *wsfev1.Tributo) wsfev1.Amount { return t.Importe }, "ImpTrib", c.ImpTrib, "los Importe de Tributos suman")
}

func (c *invoiceCheck) tributosAreDescribed(all bool) {
	for i := range c.Tributos.Tributo {
		if t := &c.Tributos.Tributo[i]; t.Desc == "" && (all || t.Id == otherTributo) {
			c.find(c.item("Tributos/Tributo", i, "Desc"))
		}
	}
}
