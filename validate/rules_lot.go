package validate

import (
	"strconv"

	"github.com/fielato/fielato/wsfev1"
)

func quantityInRange(c *lotCheck) {
	if n := c.Header.CantReg; n < 1 || n > 9998 {
		f := c.find(c.headerPointer("CantReg"))
		f.Got = strconv.Itoa(int(n))
	}
}

func quantityIsNumberOfInvoices(c *lotCheck) {
	if int(c.Header.CantReg) != c.Len() {
		f := c.find(c.headerPointer("CantReg"))
		f.Expected, f.Got = strconv.Itoa(c.Len()), strconv.Itoa(int(c.Header.CantReg))
	}
}

func lotIsNotTooLarge(c *lotCheck) {
	limit := c.rules.maxInvoices
	if wsfev1.IsFCE(c.Header.CbteTipo) {
		limit = 1
	}
	if c.Len() > limit {
		f := c.find(c.DetailPointer)
		f.Expected, f.Got = "a lo sumo "+strconv.Itoa(limit), strconv.Itoa(c.Len())
	}
}
