package rules

import (
	"reflect"
	"strconv"
	"strings"

	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
)

// amountRows are about the amounts of the invoice itself.
var amountRows = []row{
	{
		codes: codes{cae.exc(10043)}, invoice: func(c *invoiceCheck) { c.amount("ImpTotConc", c.ImpTotConc, c.Class == wsfev1.ClassC) },
		es:     "ImpTotConc no debe ser negativo, y en clase C debe ser 0.",
		en:     "ImpTotConc is negative, or not 0 in class C.",
		source: "domain.md §3.14",
	},
	{
		codes: codes{cae.exc(10044)}, invoice: func(c *invoiceCheck) { c.amount("ImpOpEx", c.ImpOpEx, c.Class == wsfev1.ClassC) },
		es:     "ImpOpEx no debe ser negativo, y en clase C debe ser 0.",
		en:     "ImpOpEx is negative, or not 0 in class C.",
		source: "domain.md §3.14",
	},
	{
		codes: codes{cae.exc(10045)}, invoice: func(c *invoiceCheck) { c.amount("ImpNeto", c.ImpNeto, false) },
		es:     "ImpNeto no debe ser negativo.",
		en:     "ImpNeto is negative.",
		source: "domain.md §3.14",
	},
	{
		codes: codes{cae.exc(10046)}, invoice: func(c *invoiceCheck) { c.amount("ImpTrib", c.ImpTrib, false) },
		es:     "ImpTrib no debe ser negativo.",
		en:     "ImpTrib is negative.",
		source: "domain.md §3.14",
	},
	{
		codes: codes{cae.exc(10047)}, invoice: func(c *invoiceCheck) { c.amount("ImpIVA", c.ImpIVA, c.Class == wsfev1.ClassC) },
		es:     "ImpIVA no debe ser negativo, y en clase C debe ser 0.",
		en:     "ImpIVA is negative, or not 0 in class C.",
		source: "domain.md §3.14",
	},
	{
		codes: codes{cae.exc(10065)}, invoice: func(c *invoiceCheck) { c.amount("ImpTotal", c.ImpTotal, false) },
		es:     "ImpTotal no debe ser negativo.",
		en:     "ImpTotal is negative.",
		source: "domain.md §3.14",
	},
	{
		codes: codes{cae.exc(10048)}, invoice: totalAddsUp,
		es:     "ImpTotal no es la suma de los importes que lo componen.",
		en:     "ImpTotal is not the sum of its parts.",
		source: "domain.md §3.3",
	},
	{
		codes: codes{caea.obs(724)}, types: notOfClass(wsfev1.ClassC), invoice: totalAddsUp,
		es:     "ImpTotal no es la suma de los importes que lo componen.",
		en:     "ImpTotal is not the sum of its parts.",
		source: "domain.md §3.3",
	},
	{
		codes: codes{caea.exc(1439)}, types: ofClass(wsfev1.ClassC), invoice: totalAddsUp,
		es:     "En clase C, ImpTotal debe ser la suma de ImpNeto e ImpTrib.",
		en:     "In class C ImpTotal is not ImpNeto plus ImpTrib.",
		source: "domain.md §3.3",
	},
	{
		codes: codes{cae.exc(10056)}, invoice: amountsHaveTheirDigits,
		es:     "La cifra tiene más enteros o decimales que los permitidos.",
		en:     "An amount has more integer digits or decimals than it may have.",
		source: "domain.md §3.3",
	},
	{
		codes: codes{caea.exc(717)}, invoice: func(c *invoiceCheck) { c.reported("ImpTotConc", c.ImpTotConc, c.Class != wsfev1.ClassC) },
		es:     "ImpTotConc es negativo o tiene más de 13 enteros y 2 decimales.",
		en:     "ImpTotConc is negative or has more than 13 digits and 2 decimals.",
		source: "domain.md §3.15",
	},
	{
		codes: codes{caea.exc(718)}, invoice: func(c *invoiceCheck) { c.reported("ImpOpEx", c.ImpOpEx, c.Class != wsfev1.ClassC) },
		es:     "ImpOpEx es negativo o tiene más de 13 enteros y 2 decimales.",
		en:     "ImpOpEx is negative or has more than 13 digits and 2 decimals.",
		source: "domain.md §3.15",
	},
	{
		codes: codes{caea.exc(719)}, invoice: func(c *invoiceCheck) { c.reported("ImpNeto", c.ImpNeto, c.Class != wsfev1.ClassC) },
		es:     "ImpNeto es negativo o tiene más de 13 enteros y 2 decimales.",
		en:     "ImpNeto is negative or has more than 13 digits and 2 decimals.",
		source: "domain.md §3.15",
	},
	{
		codes: codes{caea.exc(723)}, invoice: func(c *invoiceCheck) { c.reported("ImpTrib", c.ImpTrib, c.Class != wsfev1.ClassC) },
		es:     "ImpTrib es negativo o tiene más de 13 enteros y 2 decimales.",
		en:     "ImpTrib is negative or has more than 13 digits and 2 decimals.",
		source: "domain.md §3.15",
	},
	{
		codes: codes{caea.exc(1407)}, invoice: func(c *invoiceCheck) { c.reported("ImpIVA", c.ImpIVA, c.Class != wsfev1.ClassC) },
		es:     "ImpIVA es negativo o tiene más de 13 enteros y 2 decimales.",
		en:     "ImpIVA is negative or has more than 13 digits and 2 decimals.",
		source: "domain.md §3.15",
	},
	{
		codes: codes{caea.exc(1409)}, invoice: func(c *invoiceCheck) { c.reported("ImpTotal", c.ImpTotal, true) },
		es:     "ImpTotal es negativo o tiene más de 13 enteros y 2 decimales.",
		en:     "ImpTotal is negative or has more than 13 digits and 2 decimals.",
		source: "domain.md §3.15",
	},
	{
		codes: codes{caea.exc(1434)}, types: ofClass(wsfev1.ClassC),
		invoice: func(c *invoiceCheck) { c.amount("ImpTotConc", c.ImpTotConc, true) },
		es:      "En clase C, ImpTotConc debe ser 0.",
		en:      "ImpTotConc is not 0 in class C.",
		source:  "domain.md §3.15",
	},
	{
		codes: codes{caea.exc(1435)}, types: ofClass(wsfev1.ClassC),
		invoice: func(c *invoiceCheck) { c.amount("ImpOpEx", c.ImpOpEx, true) },
		es:      "En clase C, ImpOpEx debe ser 0.",
		en:      "ImpOpEx is not 0 in class C.",
		source:  "domain.md §3.15",
	},
	{
		codes: codes{caea.exc(1436)}, types: ofClass(wsfev1.ClassC),
		invoice: func(c *invoiceCheck) { c.amount("ImpNeto", c.ImpNeto, false) },
		es:      "En clase C, ImpNeto es el subtotal y no debe ser negativo.",
		en:      "ImpNeto, which is the subtotal in class C, is negative.",
		source:  "domain.md §3.15",
	},
	{
		codes: codes{caea.exc(1437)}, types: ofClass(wsfev1.ClassC),
		invoice: func(c *invoiceCheck) { c.amount("ImpTrib", c.ImpTrib, false) },
		es:      "En clase C, ImpTrib no debe ser negativo.",
		en:      "ImpTrib is negative in class C.",
		source:  "domain.md §3.15",
	},
	{
		codes: codes{caea.exc(1438)}, types: ofClass(wsfev1.ClassC),
		invoice: func(c *invoiceCheck) { c.amount("ImpIVA", c.ImpIVA, true) },
		es:      "En clase C, ImpIVA debe ser 0.",
		en:      "ImpIVA is not 0 in class C.",
		source:  "domain.md §3.15",
	},
}

// amount finds an amount that is negative, or not 0 where it must be.
func (c *invoiceCheck) amount(member string, amount wsfev1.Amount, mustBeZero bool) {
	switch sign := amount.Sign(); {
	case sign < 0 && !mustBeZero:
		c.wrong(member, money(amount), "0 o más")
	case sign != 0 && mustBeZero:
		c.wrong(member, money(amount), "0")
	}
}

// reported finds an amount of more digits than it may have, or a negative one where
// that is looked for: class C has codes of its own for those.
func (c *invoiceCheck) reported(member string, amount wsfev1.Amount, positive bool) {
	if positive && amount.Sign() < 0 || !amount.Fits(13, 2) {
		c.wrong(member, validate.Printable(amount.String()), "0 o más, a lo sumo 13 enteros y 2 decimales")
	}
}

func totalAddsUp(c *invoiceCheck) {
	sum := c.ImpNeto.Add(c.ImpTrib)
	if c.Class != wsfev1.ClassC {
		sum = sum.Add(c.ImpTotConc).Add(c.ImpOpEx).Add(c.ImpIVA)
	}
	if c.agree(sum, c.ImpTotal, 1) {
		return
	}
	parts := "ImpNeto " + figure(c.ImpNeto) + " + ImpTrib " + figure(c.ImpTrib)
	if c.Class != wsfev1.ClassC {
		parts = "ImpTotConc " + figure(c.ImpTotConc) + " + ImpNeto " + figure(c.ImpNeto) + " + ImpOpEx " + figure(c.ImpOpEx) +
			" + ImpTrib " + figure(c.ImpTrib) + " + ImpIVA " + figure(c.ImpIVA)
	}
	c.findAmounts(c.pointer("ImpTotal"), "ImpTotal", parts, sum, c.ImpTotal, 1)
}

// amountsHaveTheirDigits finds what the reader has noted. Both go through the lot in
// its order, so the rule goes on where it stopped at the invoice before. The shares
// of buyers have a code of their own, 10143.
func amountsHaveTheirDigits(c *invoiceCheck) {
	if c.overlong == len(c.req.Overlong) {
		return
	}
	at := c.lot.InvoicePointer(c.index) + "/"
	for ; c.overlong < len(c.req.Overlong); c.overlong++ {
		pointer := c.req.Overlong[c.overlong]
		within, ok := strings.CutPrefix(pointer, at)
		if !ok {
			return
		}
		if strings.HasPrefix(within, "Compradores/") {
			continue
		}
		f := c.find(pointer)
		m, amount := c.amountAt(within)
		f.Expected = "a lo sumo " + strconv.Itoa(m.IntegerDigits) + " enteros y " + strconv.Itoa(m.Decimals) + " decimales"
		f.Got = validate.Printable(amount.String())
	}
}

// amountAt returns the amount of the invoice at a pointer that the reader has noted.
func (c *invoiceCheck) amountAt(pointer string) (*wsfev1.Member, wsfev1.Amount) {
	v, shape := reflect.ValueOf(c.FECAEDetRequest).Elem(), detailShape
	var m *wsfev1.Member
	for step := range strings.SplitSeq(pointer, "/") {
		v = reflect.Indirect(v)
		if shape.Kind == wsfev1.KindList {
			i, _ := strconv.Atoi(step)
			v, shape = v.Index(i), shape.Item
			continue
		}
		i, _ := shape.Member([]byte(step))
		m = &shape.Members[i]
		v, shape = v.FieldByIndex(m.Index), m.Shape
	}
	amount, _ := reflect.TypeAssert[wsfev1.Amount](v)
	return m, amount
}

var detailShape = wsfev1.ShapeOf(reflect.TypeFor[wsfev1.FECAEDetRequest]())
