package exchange

import (
	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/console/exchange/tree"
	"github.com/fielato/fielato/caddymodule/internal/spanish"
	"github.com/fielato/fielato/caddymodule/internal/story"
	"github.com/fielato/fielato/wsfev1"
)

// invoices are the invoices of the exchange, as a person reads them.
type invoices struct {
	// One is set for a single invoice, and Rows for several.
	One  *tree.Invoice
	Rows []*tree.Invoice
	Nav  nav
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
	rows := tree.Invoices(root)
	for _, one := range rows {
		if one.Position < len(r.Vouchers) {
			p.judge(one, r, r.Vouchers[one.Position])
		}
		one.Page = p.invoicePage(c, one.Position)
	}
	lot := tree.Lot(root)
	if len(rows) == 1 && (lot == nil || lot.Count == 1) {
		p.Invoices.One = rows[0]
		return
	}
	p.Invoices.Rows = rows
	if lot != nil && lot.Count > tree.Window {
		p.Invoices.Nav = p.navOf(lot.Count, "invoices")
	}
}

// judge adds what was said about an invoice.
func (p *exchangePage) judge(row *tree.Invoice, r *audit.Record, v audit.Voucher) {
	row.Verdict, row.Code = p.voice.Granted(r, v)
	row.Class = map[string]string{wsfev1.Aprobado: "good", wsfev1.Rechazado: "bad"}[v.Resultado]
}

// invoicePage returns the address of the page of the invoice at this position of the exchange; empty if the
// records do not name it.
func (p *exchangePage) invoicePage(c *story.Exchange, position int) string {
	for _, r := range []*audit.Record{c.Result(), c.Request()} {
		if r.Cuit > 0 && r.CbteTipo > 0 && r.PtoVta > 0 && position < len(r.Vouchers) && r.Vouchers[position].CbteDesde > 0 {
			return p.InvoiceAddress(r.Cuit, r.CbteTipo, r.PtoVta, r.Vouchers[position].CbteDesde)
		}
	}
	return ""
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
		row := &tree.Invoice{Number: spanish.Numbers(r.PtoVta, v.CbteDesde, v.CbteHasta), Position: i, Page: p.invoicePage(c, i), Words: p.T}
		p.judge(row, r, v)
		p.Invoices.Rows = append(p.Invoices.Rows, row)
	}
	if len(r.Vouchers) > tree.Window {
		p.Invoices.Nav = p.navOf(len(r.Vouchers), "invoices")
	}
}
