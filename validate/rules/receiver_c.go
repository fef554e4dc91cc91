package rules

import (
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
)

// plainC are the types of class C that are not FCE.
var plainC = all(ofClass(wsfev1.ClassC), not(wsfev1.IsFCE))

// receiverOfCRules are the sentences of 10015 about class C. The manual names other classes, but
// the service was seen to answer it. A number that no register can have is refused as in class B.
// The rest is carried over from class B too, and observes until it has been seen; the amount
// from which a receiver must be identified is not, as no text names class C beside it.
var receiverOfCRules = []rule{
	{
		codes: codes{cae.exc(10015)}, types: plainC, invoice: receiverOfCMayBeRegistered,
		also: []Source{seenInClassC, byNumber}, unlisted: true,
		es: receiverES, en: receiverEN,
	},
	{
		codes: codes{cae.exc(10015)}, types: plainC, level: validate.Observe, invoice: receiverOfCIsNamed,
		also: []Source{byClassC}, unlisted: true,
		es: receiverES, en: receiverEN,
	},
}

func receiverOfCMayBeRegistered(c *invoiceCheck) {
	if c.isSingle() && inTaxRegister(c.DocTipo) {
		c.numberOfTaxRegister()
	}
}

// receiverOfCIsNamed leaves the numbers of the tax register to receiverOfCMayBeRegistered.
func receiverOfCIsNamed(c *invoiceCheck) {
	switch {
	case !c.isSingle() || inTaxRegister(c.DocTipo):
	case c.DocTipo == docNone:
		c.anonymousReceiver()
	default:
		c.identifiedReceiver()
	}
}
