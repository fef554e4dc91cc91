package backend

import (
	"strconv"

	"github.com/fielato/fielato/wsfev1"
)

// buyerRules are about the several buyers of an invoice. A CAEA has none: rule 1432.
var buyerRules = []registerRule{
	{cae: 10148, find: buyerIsAbsent},
	{cae: 10149, find: nobodyPaysTax},
}

// buyers returns the buyers of an invoice that may have several. Other invoices are for the rules
// that need no register.
func (x *examination) buyers() []wsfev1.Comprador {
	if x.Compradores == nil || x.Class == wsfev1.Class49 || wsfev1.IsFCE(x.CbteTipo) {
		return nil
	}
	return x.Compradores.Comprador
}

func buyerIsAbsent(x *examination) string {
	for i, buyer := range x.buyers() {
		if t := x.register.taxpayer(buyer.DocTipo, buyer.DocNro); t != nil && t.absent() {
			return "Compradores/Comprador/" + strconv.Itoa(i) + "/DocNro"
		}
	}
	return ""
}

// nobodyPaysTax is about classes A and ALEY, where one of the buyers must have the right to
// the credit of the IVA that the invoice shows.
func nobodyPaysTax(x *examination) string {
	buyers := x.buyers()
	if len(buyers) == 0 || x.Class != wsfev1.ClassA && x.Class != wsfev1.ClassALEY {
		return ""
	}
	if x.receiver != nil && x.receiver.paysTax() {
		return ""
	}
	for _, buyer := range buyers {
		if t := x.register.taxpayer(buyer.DocTipo, buyer.DocNro); t != nil && t.paysTax() {
			return ""
		}
	}
	return "Compradores"
}
