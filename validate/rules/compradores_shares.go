package rules

import "github.com/fielato/fielato/wsfev1"

// shareRules are about the shares of the buyers, in percent.
var shareRules = []rule{
	{
		codes: codes{cae.exc(10142)}, types: mayHaveBuyers, with: withCompradores, invoice: buyersHaveShares,
		es: "Falta Comprador.Porcentaje: la parte de cada comprador.",
		en: "Comprador.Porcentaje is missing.",
	},
	{
		codes: codes{cae.exc(10143)}, types: mayHaveBuyers, with: withCompradores, invoice: sharesHaveTheirDigits,
		es: "Comprador.Porcentaje admite hasta 2 enteros y 2 decimales.",
		en: "Comprador.Porcentaje has more than 2 integer digits or more than 2 decimals.",
	},
	{
		codes: codes{cae.exc(10144)}, types: mayHaveBuyers, with: withCompradores, invoice: sharesArePositive,
		es: "Comprador.Porcentaje debe ser mayor que 0.",
		en: "Comprador.Porcentaje is not greater than 0.",
	},
	{
		codes: codes{cae.exc(10145)}, types: mayHaveBuyers, with: withCompradores, invoice: receiverIsABuyer,
		es: "Los compradores deben ser al menos dos, y uno de ellos el receptor del comprobante.",
		en: "There are fewer than two buyers, or the receiver is none of them.",
	},
	{
		codes: codes{cae.exc(10146)}, types: mayHaveBuyers, with: withCompradores, invoice: receiverHasTheLargestShare,
		es: "El comprador de mayor porcentaje debe ser el receptor del comprobante.",
		en: "A buyer other than the receiver has the largest share.",
	},
	{
		codes: codes{cae.exc(10147)}, types: mayHaveBuyers, with: withCompradores, invoice: sharesAddUp,
		es: "Los porcentajes de los compradores deben sumar exactamente 100.",
		en: "The shares of the buyers do not add up to exactly 100.",
	},
}

// whole is the sum of the shares.
var whole = wsfev1.MustAmount("100")

func buyersHaveShares(c *invoiceCheck) {
	for i := range c.buyers() {
		if !c.buyers()[i].Porcentaje.Sent() {
			c.find(c.item(buyerList, i, "Porcentaje"))
		}
	}
}

// A share of 100 does not fit either: there are two buyers at least.
func sharesHaveTheirDigits(c *invoiceCheck) {
	for i := range c.buyers() {
		if share := c.buyers()[i].Porcentaje; !share.Fits(2, 2) {
			c.wrongItem(buyerList, i, "Porcentaje", share.String(), "a lo sumo 99.99")
		}
	}
}

func sharesArePositive(c *invoiceCheck) {
	for i := range c.buyers() {
		if share := c.buyers()[i].Porcentaje; share.Sent() && share.Sign() <= 0 {
			c.wrongItem(buyerList, i, "Porcentaje", share.String(), "")
		}
	}
}

// sharesAreRight reports whether each share is right by itself. Only then are they added up:
// rules 10142 to 10145 find the rest.
func (c *invoiceCheck) sharesAreRight() bool {
	for i := range c.buyers() {
		if share := c.buyers()[i].Porcentaje; share.Sign() <= 0 || !share.Fits(2, 2) {
			return false
		}
	}
	return len(c.buyers()) >= 2
}

// receiver returns the position of the receiver among the buyers. Only the number is compared:
// it may be called CUIT in one place and CUIL in the other. A number that was left out is nobody's.
func (c *invoiceCheck) receiver() (i int, ok bool) {
	for i := range c.buyers() {
		if c.DocNro != 0 && c.buyers()[i].DocNro == c.DocNro {
			return i, true
		}
	}
	return 0, false
}

func receiverIsABuyer(c *invoiceCheck) {
	switch n := len(c.buyers()); {
	case n == 0 || !isTaxpayerDoc(c.DocTipo) || c.DocNro == 0:
		return // rules 10133, 10136 and the receiver's own rules
	case n == 1:
		c.find(c.pointer(buyerList)).Text = "Hay un solo comprador: informe al menos dos, o no envíe Compradores"
		return
	}
	if _, ok := c.receiver(); !ok {
		f := c.find(c.pointer(buyerList))
		f.Text = "El receptor, DocNro " + number(c.DocNro) + ", no está entre los compradores: agréguelo con su Porcentaje"
		f.Expected = number(c.DocNro)
	}
}

// receiverHasTheLargestShare lets another have as much as the receiver.
func receiverHasTheLargestShare(c *invoiceCheck) {
	receiver, ok := c.receiver()
	if !ok || !c.sharesAreRight() {
		return
	}
	largest := receiver
	for i := range c.buyers() {
		if c.buyers()[i].Porcentaje.Cmp(c.buyers()[largest].Porcentaje) > 0 {
			largest = i
		}
	}
	if c.buyers()[largest].DocNro != c.DocNro {
		own, most := c.buyers()[receiver].Porcentaje, c.buyers()[largest].Porcentaje
		f := c.wrongItem(buyerList, receiver, "Porcentaje", own.String(), most.String()+" o más")
		f.Text = "El receptor tiene el " + rateInWords(own) + " % y otro comprador el " + rateInWords(most) + " %: el receptor debe ser el de mayor Porcentaje"
	}
}

func sharesAddUp(c *invoiceCheck) {
	if !c.sharesAreRight() {
		return
	}
	var sum wsfev1.Amount
	for i := range c.buyers() {
		sum = sum.Add(c.buyers()[i].Porcentaje)
	}
	if sum.Cmp(whole) != 0 {
		c.wrong(buyerList, figure(sum), "100").Text = "Los Porcentaje de los compradores suman " + rateInWords(sum) + ": deben sumar exactamente 100"
	}
}
