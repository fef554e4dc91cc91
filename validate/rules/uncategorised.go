package rules

import "github.com/fielato/fielato/wsfev1"

// uncategorisedRules are about a receiver that is not categorised.
var uncategorisedRules = []rule{
	{
		codes: codes{cae.exc(10067), caea.obs(1425)}, types: uncategorisedTypes, invoice: uncategorisedPaysTax,
		also: []Source{rgUncategorised},
		es:   "Al receptor no categorizado se le debe percibir IVA: informe el Tributo 13 y su ImpTrib.",
		en:   "ImpTrib is 0 for a receiver who is not categorised.",
	},
	{
		codes: codes{cae.obs(10283), caea.obs(1527)}, from: "20260901", types: uncategorisedTypes, invoice: uncategorisedPaysTributo13,
		also: []Source{rgUncategorised},
		es:   "Al receptor no categorizado se le debe percibir IVA: falta el Tributo 13 con Importe mayor que 0.",
		en:   "There are Tributos but no Tributo 13 for a receiver who is not categorised.",
	},
}

// uncategorisedTypes are those in which a receiver that is not categorised pays the
// perception of IVA (docs/sources.md#uncategorised).
var uncategorisedTypes = only(6, 7, 8)

// uncategorisedTributo is the Id of that perception.
const uncategorisedTributo = 13

// owesPerception reports whether the receiver is not categorised and is charged
// something on which IVA falls.
func (c *invoiceCheck) owesPerception() bool {
	return c.DocTipo == docCUIT && c.DocNro == int64(wsfev1.NoCategorizado) && c.ImpNeto.Add(c.ImpIVA).Sign() > 0
}

func uncategorisedPaysTax(c *invoiceCheck) {
	if c.owesPerception() && c.ImpTrib.Sign() == 0 {
		c.wrong("ImpTrib", money(c.ImpTrib), "más de 0").Text = "Al receptor no categorizado se le debe percibir IVA: informe el Tributo 13 y su ImpTrib"
	}
}

func uncategorisedPaysTributo13(c *invoiceCheck) {
	if !c.owesPerception() || c.ImpTrib.Sign() <= 0 || c.Tributos == nil {
		return
	}
	for i := range c.Tributos.Tributo {
		if t := &c.Tributos.Tributo[i]; t.Id == uncategorisedTributo && t.Importe.Sign() > 0 {
			return
		}
	}
	c.wrong("Tributos", "", "un Tributo 13 con Importe mayor que 0")
}
