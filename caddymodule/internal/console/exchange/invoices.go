package exchange

import (
	"strconv"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/console/exchange/tree"
	"github.com/fielato/fielato/caddymodule/internal/spanish"
	"github.com/fielato/fielato/caddymodule/internal/story"
	"github.com/fielato/fielato/wsfev1"
)

// invoices are the invoices of the exchange, as a person reads them.
type invoices struct {
	// One is set for a single invoice, and Rows for several.
	One  *invoice
	Rows []invoice
	Nav  nav
}

// invoice is an invoice with what was said about it.
type invoice struct {
	tree.Invoice
	Verdict, Class, Code string
}

// addInvoices adds the invoices of a request, or the one that the answer to a query describes.
func (p *exchangePage) addInvoices(c *story.Exchange, root *tree.Node, part string) {
	switch {
	case part == "answer" && p.Invoices.One != nil && p.Invoices.One.Date == "":
		p.Invoices.One.Date = tree.AnsweredDate(root) // the service sets one that was not sent
		return
	case part != "request" && part != "answer", p.Invoices.One != nil, len(p.Invoices.Rows) > 0:
		return
	}
	r := c.Result()
	var rows []invoice
	for _, one := range tree.Invoices(root) {
		row := invoice{Invoice: one}
		if one.Position < len(r.Vouchers) {
			p.judge(&row, r, r.Vouchers[one.Position])
		}
		rows = append(rows, row)
	}
	lot := tree.Lot(root)
	if len(rows) == 1 && (lot == nil || lot.Count == 1) {
		p.Invoices.One = &rows[0]
		return
	}
	p.Invoices.Rows = rows
	if lot != nil && lot.Count > tree.Window {
		p.Invoices.Nav = p.navOf(lot.Count, "invoices")
	}
}

// judge adds what was said about an invoice.
func (p *exchangePage) judge(row *invoice, r *audit.Record, v audit.Voucher) {
	row.Verdict, row.Code = p.voice.Granted(r, v)
	row.Class = map[string]string{wsfev1.Aprobado: "good", wsfev1.Rechazado: "bad"}[v.Resultado]
}

// addVouchers adds the numbers of the invoices where no request is kept.
func (p *exchangePage) addVouchers(c *story.Exchange) {
	r := c.Result()
	if p.Invoices.One != nil || len(p.Invoices.Rows) > 0 {
		return
	}
	to := min(p.from+tree.Window, len(r.Vouchers))
	for i := min(p.from, to); i < to; i++ {
		v := r.Vouchers[i]
		if v.CbteDesde == 0 {
			continue
		}
		row := invoice{Invoice: tree.Invoice{Number: spanish.Numbers(r.PtoVta, v.CbteDesde, v.CbteHasta), Position: i}}
		p.judge(&row, r, v)
		p.Invoices.Rows = append(p.Invoices.Rows, row)
	}
	if len(r.Vouchers) > tree.Window {
		p.Invoices.Nav = p.navOf(len(r.Vouchers), "invoices")
	}
}

// Address returns the place of the invoice in the tree, by its number.
func (i invoice) Place() string { return strconv.Itoa(i.Position + 1) }

// Mark is the class of a sum that differs. The service lets small differences pass: on an invoice that it
// approved they are no error.
func (i invoice) Mark() string {
	if i.Class == "good" {
		return "open"
	}
	return "bad"
}
