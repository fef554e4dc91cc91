package validate

import (
	"fmt"

	"github.com/fielato/fielato/wsfev1"
)

// exemptRate is the Id of the 0 % rate, the only one allowed where ImpIVA is 0.
const exemptRate = 3

// figuresAreFree reports whether the type is one of the notes whose IVA figures
// the service does not check: 2, 3, 7, 8, 52 and 53, not their FCE counterparts
// (domain.md §1.4).
func (c *invoiceCheck) figuresAreFree() bool {
	return wsfev1.IsNote(c.CbteTipo) && !wsfev1.IsFCE(c.CbteTipo) && c.Class != wsfev1.ClassC
}

func (c *invoiceCheck) aliquots() []wsfev1.AlicIva {
	if c.Iva == nil {
		return nil
	}
	return c.Iva.AlicIva
}

func (c *invoiceCheck) tributos() []wsfev1.Tributo {
	if c.Tributos == nil {
		return nil
	}
	return c.Tributos.Tributo
}

func ivaMatchesImpIVA(c *invoiceCheck) {
	if c.Class == wsfev1.ClassC {
		return
	}
	switch {
	case c.Iva == nil:
		if c.ImpIVA.Sign() > 0 {
			c.find(c.pointer("Iva"))
		}
	case len(c.Iva.AlicIva) == 0:
		c.find(c.pointer("Iva", "AlicIva"))
	case c.ImpIVA.Sign() == 0:
		for i, aliquot := range c.Iva.AlicIva {
			if aliquot.Id != exemptRate && !c.rateMayBeLeftOut(aliquot) {
				f := c.find(c.pointer("Iva", "AlicIva", i, "Id"))
				f.Expected, f.Got = fmt.Sprint(exemptRate), fmt.Sprint(aliquot.Id)
			}
		}
	}
}

// rateMayBeLeftOut reports whether an aliquot is without its Id where that is
// optional: on the notes whose figures are free (domain.md §1.4).
func (c *invoiceCheck) rateMayBeLeftOut(aliquot wsfev1.AlicIva) bool {
	return aliquot.Id == 0 && c.figuresAreFree()
}

func ratesAreNotRepeated(c *invoiceCheck) {
	if c.Class == wsfev1.ClassC {
		return
	}
	var seen [32]bool // the identifiers of rates are small; others are rule 10019's
	for i, aliquot := range c.aliquots() {
		if aliquot.Id < 0 || int(aliquot.Id) >= len(seen) || c.rateMayBeLeftOut(aliquot) {
			continue
		}
		if seen[aliquot.Id] {
			f := c.find(c.pointer("Iva", "AlicIva", i, "Id"))
			f.Got = fmt.Sprint(aliquot.Id)
		}
		seen[aliquot.Id] = true
	}
}

func ivaAddsUp(c *invoiceCheck) {
	aliquots := c.aliquots()
	if c.Class == wsfev1.ClassC || len(aliquots) == 0 {
		return
	}
	var sum wsfev1.Amount
	for i := range aliquots {
		sum = sum.Add(aliquots[i].Importe)
	}
	if !agree(sum, c.ImpIVA, len(aliquots)) {
		c.findAmounts(c.pointer("ImpIVA"), sum, c.ImpIVA, margin(len(aliquots)))
	}
}

func basesAddUp(c *invoiceCheck) {
	aliquots := c.aliquots()
	if c.Class == wsfev1.ClassC || c.figuresAreFree() || len(aliquots) == 0 {
		return
	}
	var sum wsfev1.Amount
	for i := range aliquots {
		sum = sum.Add(aliquots[i].BaseImp)
	}
	if !agree(sum, c.ImpNeto, len(aliquots)) {
		c.findAmounts(c.pointer("ImpNeto"), sum, c.ImpNeto, margin(len(aliquots)))
	}
}

func ivaIsRateOfBase(c *invoiceCheck) {
	if c.Class == wsfev1.ClassC || c.figuresAreFree() {
		return
	}
	for i, aliquot := range c.aliquots() {
		rate, known := rates[aliquot.Id]
		if !known {
			continue // rule 10019
		}
		if expected := percent(aliquot.BaseImp, rate); !agree(expected, aliquot.Importe, 1) {
			c.findAmounts(c.pointer("Iva", "AlicIva", i, "Importe"), expected, aliquot.Importe, cent)
		}
	}
}

func tributosMatchImpTrib(c *invoiceCheck) {
	// An empty list counts as sent: that is how the service reads it.
	if (c.ImpTrib.Sign() > 0) != (c.Tributos != nil) {
		c.find(c.pointer("Tributos"))
	}
}

func tributosAddUp(c *invoiceCheck) {
	tributos := c.tributos()
	if len(tributos) == 0 {
		return
	}
	var sum wsfev1.Amount
	for i := range tributos {
		sum = sum.Add(tributos[i].Importe)
	}
	if !agree(sum, c.ImpTrib, len(tributos)) {
		c.findAmounts(c.pointer("ImpTrib"), sum, c.ImpTrib, margin(len(tributos)))
	}
}

func totalAddsUp(c *invoiceCheck) {
	sum := c.ImpNeto.Add(c.ImpTrib)
	if c.Class != wsfev1.ClassC {
		sum = sum.Add(c.ImpTotConc).Add(c.ImpOpEx).Add(c.ImpIVA)
	}
	if !agree(sum, c.ImpTotal, 1) {
		c.findAmounts(c.pointer("ImpTotal"), sum, c.ImpTotal, cent)
	}
}

func netNeedsIva(c *invoiceCheck) {
	if c.Class != wsfev1.ClassC && c.ImpNeto.Sign() > 0 && c.Iva == nil {
		c.find(c.pointer("Iva"))
	}
}

func classCHasNoIva(c *invoiceCheck) {
	if c.Class == wsfev1.ClassC && c.Iva != nil {
		c.find(c.pointer("Iva"))
	}
}
