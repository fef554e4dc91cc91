package rules

import (
	"strconv"

	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
)

// requestCheck is a request without a lot under inspection.
type requestCheck struct {
	*report
	// Cuit is the issuer for whom it is made.
	Cuit wsfev1.CUIT
}

// lotCheck is a lot under inspection.
type lotCheck struct {
	*report
	*wsfev1.Lot
}

func (c *lotCheck) headerPointer(member string) string { return c.HeaderPointer + "/" + member }

// wrong adds a finding about a member of the header.
func (c *lotCheck) wrong(member string, got int32) *validate.Finding {
	return c.explain(c.find(c.headerPointer(member)), number(got), "")
}

// invoiceCheck is an invoice under inspection.
type invoiceCheck struct {
	*report
	*wsfev1.FECAEDetRequest
	// CAEA is the same invoice where it is one under an advance code, or nil.
	CAEA     *wsfev1.FECAEADetRequest
	Issuer   wsfev1.CUIT
	PtoVta   int32
	CbteTipo int32
	Class    wsfev1.Class

	lot   *wsfev1.Lot
	index int
	// overlong counts the amounts of Request.overlong that rule 10056 has passed.
	overlong int
}

// previous returns the invoice before this one in the lot, nil for the first.
func (c *invoiceCheck) previous() *wsfev1.FECAEDetRequest {
	if c.index == 0 {
		return nil
	}
	return c.lot.Invoice(c.index - 1)
}

// date is CbteFch, or today where it was not sent: the service takes the process
// date then.
func (c *invoiceCheck) date() wsfev1.Date {
	if c.CbteFch == "" {
		return c.calendar.today
	}
	return c.CbteFch
}

// pointer returns the JSON Pointer of a member of the invoice, no text where no more
// findings are kept: a long list that is all wrong costs no text for each item.
func (c *invoiceCheck) pointer(member string) string {
	if c.full() {
		return ""
	}
	return c.lot.InvoicePointer(c.index) + "/" + member
}

// item returns the JSON Pointer of an item of a list of the invoice, or of a
// member of the item.
func (c *invoiceCheck) item(list string, i int, member string) string {
	if c.full() {
		return ""
	}
	p := c.pointer(list) + "/" + strconv.Itoa(i)
	if member != "" {
		p += "/" + member
	}
	return p
}

// wrong adds a finding about a member of the invoice that got a value where
// another was expected. Either may be left out.
func (c *invoiceCheck) wrong(member, got, expected string) *validate.Finding {
	return c.explain(c.find(c.pointer(member)), got, expected)
}

// wrongItem is wrong for a member of an item: list is "Iva/AlicIva" and the like.
func (c *invoiceCheck) wrongItem(list string, i int, member, got, expected string) *validate.Finding {
	return c.explain(c.find(c.item(list, i, member)), got, expected)
}

// explain sets the expected and the received value, and completes the text with the latter. A
// member that was left out has no received value; the text says that it is missing.
func (r *report) explain(f *validate.Finding, got, expected string) *validate.Finding {
	if f == r.unreported {
		return f
	}
	absent := r.req.Absent(f.Pointer)
	f.Expected = expected
	if !absent {
		f.Got = validate.Printable(got)
	}
	f.Text = told(f.Text, f.Pointer, f.Got, absent)
	return f
}

// number writes an integer of the wire.
func number[N ~int16 | ~int32 | ~int64](n N) string { return strconv.FormatInt(int64(n), 10) }
