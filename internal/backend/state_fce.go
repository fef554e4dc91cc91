package backend

import (
	"slices"

	"github.com/fielato/fielato/wsfev1"
)

// creditRules are about credit invoices MiPyME and their notes, and about the invoices
// that should have been one. A receiver that is not active has two numbers in the service's
// table for CAEA, 1445 and 1446; here 1445 is used for its other meaning (docs/sources.md#code-1445).
var creditRules = []registerRule{
	{cae: 10161, caea: 1458, find: creditReceiver(func(x *examination) bool { return x.receiver.WithoutDomicile })},
	{cae: 10174, caea: 1471, find: accountIsOfAnother},
	{cae: 10176, caea: 1446, find: creditReceiver(func(x *examination) bool { return x.receiver.absent() })},
	{cae: 10177, caea: 1474, find: creditReceiver(creditReceiverLacksTax)},
	{cae: 10180, caea: 1476, find: creditReceiver(creditReceiverIsOutside)},
	{cae: 10188, find: creditInvoiceWasDueByCategory},
	{cae: 10192, caea: 1485, find: creditInvoiceWasDue},
}

// opcionalCBU is the account to which a credit invoice is paid.
const opcionalCBU = "2101"

// creditReceiver makes a rule about the receiver of a credit invoice or of its note.
func creditReceiver(wrong func(*examination) bool) func(*examination) string {
	return func(x *examination) string {
		if wsfev1.IsFCE(x.CbteTipo) && x.receiver != nil && wrong(x) {
			return "DocNro"
		}
		return ""
	}
}

// creditReceiverLacksTax leaves a number that does not exist to rule 10176.
func creditReceiverLacksTax(x *examination) bool {
	switch {
	case x.receiver.Unknown:
		return false
	case x.Class == wsfev1.ClassA:
		return !x.receiver.paysIVA()
	}
	return !x.receiver.paysTax() && x.receiver.IVA != Exento
}

func creditReceiverIsOutside(x *examination) bool {
	return !x.receiver.Large && !(x.receiver.Pyme && x.receiver.OptedIn)
}

// accountIsOfAnother lets any account pass if the register names none for the issuer.
func accountIsOfAnother(x *examination) string {
	place, cbu, ok := x.opcional(opcionalCBU)
	if !ok || !wsfev1.IsFCE(x.CbteTipo) || len(x.issuer.CBUs) == 0 || slices.Contains(x.issuer.CBUs, cbu) {
		return ""
	}
	return valorOf(place)
}

// creditPartiesMeet reports whether the issuer owes credit invoices to the receiver: a
// PyME to a large company.
func (x *examination) creditPartiesMeet() bool {
	return x.DocTipo == docCUIT && x.issuer.Pyme && x.receiver != nil && x.receiver.Large
}

// creditInvoiceWasDueByCategory does not ask for the amount: that an invoice reaches it
// is creditInvoiceWasDue, which rejects.
func creditInvoiceWasDueByCategory(x *examination) string {
	switch x.CbteTipo {
	case 1, 4, 6, 9, 11, 15:
		if x.creditPartiesMeet() {
			return "DocNro"
		}
	}
	return ""
}

func creditInvoiceWasDue(x *examination) string {
	if !x.creditPartiesMeet() {
		return ""
	}
	minimum, worth := x.backend.rules.FCEMinimum(x.now), x.inPesos()
	if minimum.Sent() && worth.Cmp(minimum) >= 0 {
		return "ImpTotal"
	}
	return ""
}
