package search

import (
	"slices"

	"github.com/fielato/fielato/caddymodule/internal/spanish"
)

// invoicePage leads to the page of an invoice.
type invoicePage struct{ Name, Address string }

// maxInvoices bounds the invoices that a search leads to: a number without its issuer may be the number of many.
const maxInvoices = 8

// invoices returns the pages of the invoices with the number that was asked for, each once, in the order of the rows.
// The page of an invoice tells all of its exchanges as one story, whichever of them the reader has found.
func (p *searchPage) invoices(rows []row) (all []invoicePage) {
	number := p.asked.Query.Number
	if number == 0 {
		return nil
	}
	for i := range rows {
		r := rows[i].record
		if r.Cuit == 0 || r.CbteTipo == 0 || r.PtoVta == 0 {
			continue
		}
		one := invoicePage{
			spanish.Voucher(r.CbteTipo) + " " + spanish.Number(r.PtoVta, number) + " (" + spanish.CUIT(r.Cuit) + ")",
			p.InvoiceAddress(r.Cuit, r.CbteTipo, r.PtoVta, number),
		}
		if !slices.Contains(all, one) && len(all) < maxInvoices {
			all = append(all, one)
		}
	}
	return all
}
