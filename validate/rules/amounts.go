package rules

import (
	"reflect"
	"strconv"
	"strings"

	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
)

// amountRules are about the amounts of the invoice itself.
var amountRules = []rule{
	notNegativeAndNoneInC(10043, impTotConc),
	notNegativeAndNoneInC(10044, impOpEx),
	notNegative(10045, impNeto),
	notNegative(10046, impTrib),
	notNegativeAndNoneInC(10047, impIVA),
	notNegative(10065, impTotal),
	{
		codes: codes{cae.exc(10048)}, invoice: totalAddsUp,
		es: "ImpTotal no es la suma de los importes que lo componen.",
		en: "ImpTotal is not the sum of its parts.",
	},
	{
		codes: codes{caea.obs(724)}, types: notOfClass(wsfev1.ClassC), invoice: totalAddsUp,
		es: "ImpTotal no es la suma de los importes que lo componen.",
		en: "ImpTotal is not the sum of its parts.",
	},
	{
		codes: codes{caea.exc(1439)}, types: ofClass(wsfev1.ClassC), invoice: totalAddsUp,
		es: "En clase C, ImpTotal debe ser la suma de ImpNeto e ImpTrib.",
		en: "In class C ImpTotal is not ImpNeto plus ImpTrib.",
	},
	{
		codes: codes{cae.exc(10056)}, invoice: amountsHaveTheirDigits,
		es: "El importe tiene más enteros o decimales que los permitidos.",
		en: "An amount has more integer digits or decimals than it may have.",
	},
	hasReportedDigits(717, impTotConc),
	hasReportedDigits(718, impOpEx),
	hasReportedDigits(719, impNeto),
	hasReportedDigits(723, impTrib),
	hasReportedDigits(1407, impIVA),
	hasReportedDigits(1409, impTotal),
	noneInReportedC(1434, impTotConc),
	noneInReportedC(1435, impOpEx),
	{
		codes: codes{caea.exc(1436)}, types: ofClass(wsfev1.ClassC),
		invoice: func(c *invoiceCheck) { c.amount(impNeto, false) },
		es:      "En clase C, ImpNeto es el subtotal y no debe ser negativo.",
		en:      "ImpNeto, which is the subtotal in class C, is negative.",
	},
	{
		codes: codes{caea.exc(1437)}, types: ofClass(wsfev1.ClassC),
		invoice: func(c *invoiceCheck) { c.amount(impTrib, false) },
		es:      "En clase C, ImpTrib no debe ser negativo.",
		en:      "ImpTrib is negative in class C.",
	},
	noneInReportedC(1438, impIVA),
}

// amountMember is an amount of the invoice itself.
type amountMember struct {
	name string
	of   func(*wsfev1.FECAEDetRequest) wsfev1.Amount
}

var (
	impTotal   = amountMember{"ImpTotal", func(d *wsfev1.FECAEDetRequest) wsfev1.Amount { return d.ImpTotal }}
	impTotConc = amountMember{"ImpTotConc", func(d *wsfev1.FECAEDetRequest) wsfev1.Amount { return d.ImpTotConc }}
	impNeto    = amountMember{"ImpNeto", func(d *wsfev1.FECAEDetRequest) wsfev1.Amount { return d.ImpNeto }}
	impOpEx    = amountMember{"ImpOpEx", func(d *wsfev1.FECAEDetRequest) wsfev1.Amount { return d.ImpOpEx }}
	impTrib    = amountMember{"ImpTrib", func(d *wsfev1.FECAEDetRequest) wsfev1.Amount { return d.ImpTrib }}
	impIVA     = amountMember{"ImpIVA", func(d *wsfev1.FECAEDetRequest) wsfev1.Amount { return d.ImpIVA }}
)

func notNegative(number int32, m amountMember) rule {
	return rule{
		codes: codes{cae.exc(number)}, invoice: func(c *invoiceCheck) { c.amount(m, false) },
		es: m.name + " no debe ser negativo.",
		en: m.name + " is negative.",
	}
}

func notNegativeAndNoneInC(number int32, m amountMember) rule {
	return rule{
		codes: codes{cae.exc(number)}, invoice: func(c *invoiceCheck) { c.amount(m, c.Class == wsfev1.ClassC) },
		es: m.name + " no debe ser negativo, y en clase C debe ser 0.",
		en: m.name + " is negative, or not 0 in class C.",
	}
}

func hasReportedDigits(number int32, m amountMember) rule {
	return rule{
		codes: codes{caea.exc(number)}, invoice: func(c *invoiceCheck) { c.reported(m) },
		es: m.name + " es negativo o tiene más de 13 enteros y 2 decimales.",
		en: m.name + " is negative or has more than 13 digits and 2 decimals.",
	}
}

func noneInReportedC(number int32, m amountMember) rule {
	return rule{
		codes: codes{caea.exc(number)}, types: ofClass(wsfev1.ClassC),
		invoice: func(c *invoiceCheck) { c.amount(m, true) },
		es:      "En clase C, " + m.name + " debe ser 0.",
		en:      m.name + " is not 0 in class C.",
	}
}

// amount finds an amount that is negative, or not 0 where it must be.
func (c *invoiceCheck) amount(m amountMember, mustBeZero bool) {
	amount := m.of(c.FECAEDetRequest)
	switch sign := amount.Sign(); {
	case sign < 0 && !mustBeZero:
		c.wrong(m.name, money(amount), "0 o más").Text = negative(m.name, amount)
	case sign != 0 && mustBeZero:
		f := c.wrong(m.name, money(amount), "0")
		f.Text = "En clase C, " + m.name + " debe ser 0 y es " + inWords(amount)
		if sign > 0 {
			f.Text += ": súmelo a ImpNeto"
		}
	}
}

// negative words an amount that is negative.
func negative(name string, amount wsfev1.Amount) string {
	return name + " es " + inWords(amount) + ": los importes van sin signo, también en las notas de crédito"
}

// reported finds an amount of more digits than it may have, or a negative one. Class C
// has codes of its own for negative ones, but for ImpTotal.
func (c *invoiceCheck) reported(m amountMember) {
	amount := m.of(c.FECAEDetRequest)
	positive := c.Class != wsfev1.ClassC || m.name == impTotal.name
	if positive && amount.Sign() < 0 || !amount.Fits(13, 2) {
		f := c.wrong(m.name, validate.Printable(amount.String()), "0 o más, a lo sumo 13 enteros y 2 decimales")
		if f.Text = tooLong(m.name, amount, 13, 2); amount.Sign() < 0 {
			f.Text = negative(m.name, amount)
		}
	}
}

// tooLong words an amount of more digits than it may have.
func tooLong(name string, amount wsfev1.Amount, digits, decimals int) string {
	return name + " es " + received(name, validate.Printable(amount.String())) + ": admite hasta " + strconv.Itoa(digits) + " enteros y " + strconv.Itoa(decimals) + " decimales"
}

func totalAddsUp(c *invoiceCheck) {
	sum := c.ImpNeto.Add(c.ImpTrib)
	if c.Class != wsfev1.ClassC {
		sum = sum.Add(c.ImpTotConc).Add(c.ImpOpEx).Add(c.ImpIVA)
	}
	if c.agree(sum, c.ImpTotal, 1) {
		return
	}
	c.findAmounts(c.pointer("ImpTotal"), "ImpTotal", c.partsInWords(), sum, c.ImpTotal, 1)
}

// partsInWords names the parts of the total that are not 0.
func (c *invoiceCheck) partsInWords() string {
	parts := []amountMember{impTotConc, impNeto, impOpEx, impTrib, impIVA}
	if c.Class == wsfev1.ClassC {
		parts = []amountMember{impNeto, impTrib}
	}
	var words []string
	last := ""
	for _, part := range parts {
		if amount := part.of(c.FECAEDetRequest); amount.Sign() != 0 {
			words, last = append(words, part.name+" "+inWords(amount)), part.name
		}
	}
	switch len(words) {
	case 0:
		return "sus componentes suman"
	case 1:
		return "su único componente, " + last + ", es"
	}
	return strings.Join(words, " + ") + " suman"
}

// amountsHaveTheirDigits finds the amounts that the reader has noted. Both go through the lot in
// order, so the rule continues where it stopped at the previous invoice. The shares of buyers have
// a code of their own, 10143.
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
		f.Text = tooLong(memberName(within), amount, m.IntegerDigits, m.Decimals)
	}
}

// memberName names a member by its pointer within an invoice: AlicIva.Importe.
func memberName(within string) string {
	steps := strings.Split(within, "/")
	if n := len(steps); n > 2 {
		return steps[n-3] + "." + steps[n-1]
	}
	return lastMember(within)
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
