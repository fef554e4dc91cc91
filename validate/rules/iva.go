package rules

import (
	"slices"

	"github.com/fielato/fielato/wsfev1"
)

// freeNotes are the notes whose IVA figures the service does not check: not their
// FCE counterparts (docs/sources.md#fields).
var freeNotes = only(2, 3, 7, 8, 52, 53)

// freeReportedNotes are those in FECAEARegInformativo (docs/sources.md#codes).
var freeReportedNotes = only(2, 3, 7, 8)

// checkedIva are the types whose IVA figures are checked in FECAESolicitar.
var checkedIva = all(notOfClass(wsfev1.ClassC), not(freeNotes))

// checkedReportedIva are those in FECAEARegInformativo.
var checkedReportedIva = all(notOfClass(wsfev1.ClassC), not(freeReportedNotes))

// ratedTypes are the types that have IVA by rate.
var ratedTypes = notOfClass(wsfev1.ClassC)

// ivaRules are about the IVA of the invoice by rate. The lists of the two operations differ: the
// notes that leave figures open are others, and 1008 leaves open none.
var ivaRules = slices.Concat(
	[]rule{
		{codes: codes{cae.exc(10019), caea.exc(1000)}, types: ratedTypes, with: withIva, invoice: ratesAreKnown, es: unknownRateES, en: unknownRateEN},
		{codes: codes{cae.exc(10020)}, types: checkedIva, with: withIva, invoice: basesArePositive, es: ivaBaseES, en: ivaBaseEN},
		{codes: codes{cae.exc(10021)}, types: checkedIva, with: withIva, invoice: ivaIsNotNegative, es: ivaAmountES, en: ivaAmountEN},
		{codes: codes{caea.exc(1009)}, types: ratedTypes, with: withIva, invoice: reportedBases, es: ivaBaseES, en: ivaBaseEN},
		{codes: codes{caea.exc(1008)}, types: ratedTypes, with: withIva, invoice: reportedIva, es: ivaAmountES, en: ivaAmountEN},
	},
	ivaSumRules,
)

const (
	unknownRateES = "AlicIva.Id debe ser una alícuota de FEParamGetTiposIva."
	unknownRateEN = "AlicIva.Id is missing or not one of FEParamGetTiposIva."
	ivaBaseES     = "AlicIva.BaseImp debe ser mayor que 0."
	ivaBaseEN     = "AlicIva.BaseImp is missing or not greater than 0."
	ivaAmountES   = "AlicIva.Importe no debe ser negativo."
	ivaAmountEN   = "AlicIva.Importe is negative."
)

// ivaSumRules hold the rates against each other and against the invoice.
var ivaSumRules = []rule{
	{
		codes: codes{cae.exc(10018), caea.exc(715)}, types: notOfClass(wsfev1.ClassC), invoice: ivaMatchesImpIVA,
		es: "Informe en Iva el detalle de ImpIVA por alícuota; si ImpIVA es 0, solo la alícuota 3 (0 %). Los importes exentos van en ImpOpEx, sin AlicIva.",
		en: "ImpIVA is greater than 0 without Iva; or it is 0 with a rate other than 0 %; or Iva has no AlicIva. Exempt amounts go to ImpOpEx, without an AlicIva.",
	},
	{
		codes: codes{cae.exc(10022), caea.exc(1003)}, types: notOfClass(wsfev1.ClassC), with: withIva, invoice: ratesAreNotRepeated,
		es: "La alícuota de IVA está repetida: totalícela en un solo AlicIva.",
		en: "An IVA rate is given more than once.",
	},
	{
		codes: codes{cae.exc(10023), caea.obs(725)}, types: notOfClass(wsfev1.ClassC), with: withIva, invoice: ivaAddsUp,
		es: "ImpIVA debe ser la suma de los Importe de AlicIva.",
		en: "The amounts of AlicIva do not add up to ImpIVA.",
	},
	{
		codes: codes{cae.exc(10051)}, types: checkedIva, with: withIva, invoice: ivaIsRateOfBase,
		es: rateOfBaseES, en: rateOfBaseEN,
	},
	{
		codes: codes{caea.obs(1006)}, types: checkedReportedIva, with: withIva, invoice: ivaIsRateOfBase,
		es: rateOfBaseES, en: rateOfBaseEN,
	},
	{
		codes: codes{cae.exc(10061)}, types: checkedIva, with: withIva, invoice: basesAddUp,
		es: basesES, en: basesEN,
	},
	{
		codes: codes{caea.obs(1408)}, types: checkedReportedIva, with: withIva, invoice: basesAddUp,
		es: basesES, en: basesEN,
	},
	{
		codes: codes{cae.exc(10070), caea.obs(1427)}, types: notOfClass(wsfev1.ClassC), invoice: netNeedsIva,
		es: "Si ImpNeto es mayor que 0, informe Iva: un AlicIva por alícuota. Los importes exentos van en ImpOpEx, y los no gravados en ImpTotConc.",
		en: "ImpNeto is greater than 0 without Iva, or with an empty one. Exempt amounts go to ImpOpEx, untaxed ones to ImpTotConc.",
	},
	{
		codes: codes{cae.exc(10071), caea.exc(1443)}, from: "20180801", types: ofClass(wsfev1.ClassC), with: withIva, invoice: classCHasNoIva,
		es: "Un comprobante clase C no lleva Iva: no lo envíe, ni vacío.",
		en: "A class C voucher has Iva.",
	},
	{
		codes: codes{cae.exc(10075)},
		es:    "Un monotributista que compra bienes usados no informa Iva: no lo envíe.",
		en:    "A purchase of used goods by a monotributista has Iva.",
	},
}

const (
	rateOfBaseES = "AlicIva.Importe debe ser BaseImp por la alícuota."
	rateOfBaseEN = "An amount of AlicIva is not its rate of BaseImp."
	basesES      = "ImpNeto debe ser la suma de los BaseImp de AlicIva."
	basesEN      = "The bases of AlicIva do not add up to ImpNeto."
)

// exemptRate is the Id of the 0 % rate, the only one allowed where ImpIVA is 0.
const exemptRate = 3

func ivaMatchesImpIVA(c *invoiceCheck) {
	switch {
	case c.Iva == nil:
		if c.ImpIVA.Sign() > 0 {
			f := c.find(c.pointer("Iva"))
			f.Text = "ImpIVA es " + inWords(c.ImpIVA) + " y no se informó Iva: agregue un AlicIva por alícuota"
		}
	case len(c.Iva.AlicIva) == 0:
		c.find(c.pointer("Iva/AlicIva")).Text = "Iva se informó vacío: agregue al menos un AlicIva, o no lo envíe; lo exento va en ImpOpEx, sin AlicIva"
	case c.ImpIVA.Sign() == 0:
		for i, line := range c.Iva.AlicIva {
			if _, known := wsfev1.IvaRate(line.Id); !known && c.isIva(line.Id) {
				continue // what a rate that came later is, is not known
			}
			if line.Id != exemptRate && !c.rateMayBeLeftOut(line) {
				f := c.find(c.item("Iva/AlicIva", i, "Id"))
				f.Expected, f.Got = number(int32(exemptRate)), number(line.Id)
				f.Text = "ImpIVA es 0 y se informó la alícuota " + aliquot(line.Id) + ": informe en ImpIVA la suma de los Importe, o use la alícuota " + aliquot(exemptRate) + "; lo exento va en ImpOpEx, sin AlicIva"
			}
		}
	}
}

// rateMayBeLeftOut reports whether a line is without its Id where that is
// optional: on the notes whose figures are free.
func (c *invoiceCheck) rateMayBeLeftOut(line wsfev1.AlicIva) bool {
	if c.CAEA != nil {
		return line.Id == 0 && freeReportedNotes(c.CbteTipo)
	}
	return line.Id == 0 && freeNotes(c.CbteTipo)
}

// aliquots are all rates of IVA.
var aliquots = list(aliquot(3), aliquot(4), aliquot(5), aliquot(6), aliquot(8), aliquot(9))

// ratesAreKnown also finds an Id in a note that need not have one.
func ratesAreKnown(c *invoiceCheck) {
	for i := range c.Iva.AlicIva {
		id := c.Iva.AlicIva[i].Id
		if !c.isIva(id) && !c.rateMayBeLeftOut(c.Iva.AlicIva[i]) {
			f := c.wrongItem("Iva/AlicIva", i, "Id", number(id), "3, 4, 5, 6, 8 o 9")
			if f.Text = "AlicIva.Id es " + f.Got; f.Got == "" {
				f.Text = "Falta AlicIva.Id"
			}
			f.Text += ": use " + aliquots
		}
	}
}

func basesArePositive(c *invoiceCheck) {
	for i := range c.Iva.AlicIva {
		if base := c.Iva.AlicIva[i].BaseImp; base.Sign() <= 0 {
			c.wrongItem("Iva/AlicIva", i, "BaseImp", money(base), "")
		}
	}
}

func ivaIsNotNegative(c *invoiceCheck) {
	for i := range c.Iva.AlicIva {
		if amount := c.Iva.AlicIva[i].Importe; amount.Sign() < 0 {
			c.wrongItem("Iva/AlicIva", i, "Importe", money(amount), "0 o más").Text = negative("AlicIva.Importe", amount)
		}
	}
}

// reportedBases finds what basesArePositive does, in the types that are checked, and bases of too many digits.
func reportedBases(c *invoiceCheck) {
	if !freeReportedNotes(c.CbteTipo) {
		basesArePositive(c)
	}
	c.ivaHasItsDigits("BaseImp", func(line *wsfev1.AlicIva) wsfev1.Amount { return line.BaseImp })
}

// reportedIva is ivaIsNotNegative with the digits, which have no code of their own under a CAEA.
func reportedIva(c *invoiceCheck) {
	ivaIsNotNegative(c)
	c.ivaHasItsDigits("Importe", func(line *wsfev1.AlicIva) wsfev1.Amount { return line.Importe })
}

func (c *invoiceCheck) ivaHasItsDigits(member string, of func(*wsfev1.AlicIva) wsfev1.Amount) {
	for i := range c.Iva.AlicIva {
		if amount := of(&c.Iva.AlicIva[i]); !amount.Fits(13, 2) {
			c.wrongItem("Iva/AlicIva", i, member, amount.String(), "a lo sumo 13 enteros y 2 decimales").Text = tooLong("AlicIva."+member, amount, 13, 2)
		}
	}
}

func ratesAreNotRepeated(c *invoiceCheck) {
	var seen [32]bool // the identifiers of rates are small; others are rule 10019's
	for i, line := range c.Iva.AlicIva {
		if line.Id < 0 || int(line.Id) >= len(seen) || c.rateMayBeLeftOut(line) {
			continue
		}
		if seen[line.Id] {
			c.wrongItem("Iva/AlicIva", i, "Id", number(line.Id), "").Text = "La alícuota " + aliquot(line.Id) + " está repetida: totalícela en un solo AlicIva"
		}
		seen[line.Id] = true
	}
}

func ivaAddsUp(c *invoiceCheck) {
	addUp(c, c.Iva.AlicIva, func(l *wsfev1.AlicIva) wsfev1.Amount { return l.Importe }, "ImpIVA", c.ImpIVA, "los Importe de AlicIva suman")
}

func basesAddUp(c *invoiceCheck) {
	addUp(c, c.Iva.AlicIva, func(l *wsfev1.AlicIva) wsfev1.Amount { return l.BaseImp }, "ImpNeto", c.ImpNeto, "los BaseImp de AlicIva suman")
}

// addUp compares a total of the invoice with the sum over a list. text says in Spanish what adds up.
func addUp[Item any](c *invoiceCheck, items []Item, amountOf func(*Item) wsfev1.Amount, member string, total wsfev1.Amount, text string) {
	var sum wsfev1.Amount
	for i := range items {
		sum = sum.Add(amountOf(&items[i]))
	}
	if len(items) > 0 && !c.agree(sum, total, len(items)) {
		c.findAmounts(c.pointer(member), member, text, sum, total, len(items))
	}
}

func ivaIsRateOfBase(c *invoiceCheck) {
	for i := range c.Iva.AlicIva {
		line := &c.Iva.AlicIva[i]
		rate, known := wsfev1.IvaRate(line.Id)
		if !known {
			continue // rule 10019
		}
		if expected := percent(line.BaseImp, rate); !c.agree(expected, line.Importe, 1) {
			c.findAmounts(c.item("Iva/AlicIva", i, "Importe"), "AlicIva.Importe",
				"el "+rateInWords(rate)+" % de BaseImp "+inWords(line.BaseImp)+" es", expected, line.Importe, 1)
		}
	}
}

// netNeedsIva finds an empty Iva too: it must be there, and not be empty.
func netNeedsIva(c *invoiceCheck) {
	if c.ImpNeto.Sign() <= 0 {
		return
	}
	switch {
	case c.Iva == nil:
		c.find(c.pointer("Iva")).Text = "ImpNeto es " + inWords(c.ImpNeto) + " y no se informó Iva: agregue un AlicIva por alícuota" + exemptCure
	case len(c.Iva.AlicIva) == 0:
		c.find(c.pointer("Iva/AlicIva")).Text = "ImpNeto es " + inWords(c.ImpNeto) + " e Iva se informó vacío: agregue un AlicIva por alícuota" + exemptCure
	}
}

// exemptCure names what to do where no IVA falls upon the amount.
const exemptCure = "; si la operación es exenta, informe el importe en ImpOpEx, y si no está gravada, en ImpTotConc"

func classCHasNoIva(c *invoiceCheck) { c.find(c.pointer("Iva")) }
