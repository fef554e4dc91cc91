package validate

import (
	"fmt"
	"reflect"

	"github.com/fielato/fielato/wsfev1"
)

var detailShape = wsfev1.ShapeOf(reflect.TypeFor[wsfev1.FECAEDetRequest]())

// amountsHaveTheirDigits looks at every amount of the invoice, down to its lists,
// against the digits that stand on the type.
func amountsHaveTheirDigits(c *invoiceCheck) {
	c.digits(detailShape, reflect.ValueOf(c.FECAEDetRequest).Elem(), place{})
}

// place is an item of a list of the invoice: /Iva/AlicIva/0. The zero place is
// the invoice itself.
type place struct {
	wrapper, list string
	index         int
}

func (c *invoiceCheck) digits(shape *wsfev1.Shape, v reflect.Value, at place) {
	for i := range shape.Members {
		m := &shape.Members[i]
		switch m.Shape.Kind {
		case wsfev1.KindAmount:
			amount := v.FieldByIndex(m.Index).Addr().Interface().(*wsfev1.Amount)
			if !amount.Fits(m.IntegerDigits, m.Decimals) {
				c.findDigits(m, amount, at)
			}
		case wsfev1.KindObject:
			if wrapper := v.FieldByIndex(m.Index); !wrapper.IsNil() {
				c.digitsOfList(m, wrapper.Elem())
			}
		}
	}
}

// digitsOfList looks at the items of a wrapper object with one list; a wrapper
// without a list (PeriodoAsoc) holds no amounts.
func (c *invoiceCheck) digitsOfList(wrapper *wsfev1.Member, v reflect.Value) {
	list := &wrapper.Shape.Members[0]
	if list.Shape.Kind != wsfev1.KindList {
		return
	}
	items := v.FieldByIndex(list.Index)
	for i := range items.Len() {
		c.digits(list.Shape.Item, items.Index(i), place{wrapper.Name, list.Name, i})
	}
}

func (c *invoiceCheck) findDigits(m *wsfev1.Member, amount *wsfev1.Amount, at place) {
	pointer := c.pointer(m.Name)
	if at.wrapper != "" {
		pointer = c.pointer(at.wrapper, at.list, at.index, m.Name)
	}
	f := c.find(pointer)
	f.Expected = fmt.Sprintf("a lo sumo %d enteros y %d decimales", m.IntegerDigits, m.Decimals)
	f.Got = printable(amount.String())
}
