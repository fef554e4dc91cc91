package rows

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/fielato/fielato/internal/backend"
)

const (
	// maxInvoices is how many invoices a row has at most. The service takes lots of 250.
	maxInvoices = 256
	// maxTexts bounds the texts of a lot, in bytes: whoever reads one invoice decompresses all of them.
	maxTexts = 1 << 20
)

// inLot stands in Detail where the row is a lot. It is no JSON: a build that knows no lots reports an error in place
// of taking the row for an invoice.
const inLot = "lot"

var errDamaged = errors.New("the row is damaged")

// Row is what a ledger keeps in one row: an invoice, or several that follow each other.
type Row struct {
	// Invoice is the invoice. Of a lot it has the first and the last number and the members of the first invoice, with
	// nothing in Detail that could be read as an invoice.
	backend.Invoice
	// Lot has the invoices of a lot, nil if the row is a single invoice.
	Lot []byte
}

// Of yields the rows of invoices of a series that are appended together, each of which follows the one before. A row
// that is no lot shares the memory of its invoice. The Row is overwritten when the iteration goes on.
func Of(invoices []backend.Invoice) iter.Seq[*Row] {
	return func(yield func(*Row) bool) {
		var row Row
		for len(invoices) > 0 {
			n := fitting(invoices)
			row = Row{Invoice: invoices[0]}
			if n > 1 {
				row.CbteHasta = invoices[n-1].CbteHasta
				row.Detail, row.Observaciones = []byte(inLot), nil
				row.Lot = pack(invoices[:n])
			}
			if !yield(&row) {
				return
			}
			invoices = invoices[n:]
		}
	}
}

// fitting returns how many of the first invoices go into one row, 1 or more.
func fitting(invoices []backend.Invoice) int {
	texts := 0
	for i := range invoices[:min(len(invoices), maxInvoices)] {
		v := &invoices[i]
		texts += len(v.Detail) + len(v.Observaciones) + len(v.CbteFch) + len(v.Code) + len(v.EmisionTipo) + len(v.FchVto) + len(v.FchProceso)
		if texts > maxTexts {
			return max(i, 1)
		}
	}
	return min(len(invoices), maxInvoices)
}

// Find returns the invoice that has a number, which must be one of the row's.
func (r *Row) Find(number int64) (*backend.Invoice, error) {
	if r.Lot == nil && number >= r.CbteDesde && number <= r.CbteHasta {
		return &r.Invoice, nil
	}
	var found *backend.Invoice
	err := r.each(func(v backend.Invoice) bool {
		if v.CbteHasta < number {
			return true
		}
		// Copies, or the invoice would hold the whole lot in memory.
		v.Detail, v.Observaciones = bytes.Clone(v.Detail), bytes.Clone(v.Observaciones)
		found = &v
		return false
	})
	if err == nil && (found == nil || found.CbteDesde > number) {
		err = errDamaged
	}
	if err != nil {
		return nil, fmt.Errorf("number %d in the row of %d to %d: %w", number, r.CbteDesde, r.CbteHasta, err)
	}
	return found, nil
}

// All yields the invoices of the row by number. They belong to the caller. An error ends the iteration.
func (r *Row) All() iter.Seq2[*backend.Invoice, error] {
	return func(yield func(*backend.Invoice, error) bool) {
		if r.Lot == nil {
			yield(&r.Invoice, nil)
			return
		}
		if err := r.each(func(v backend.Invoice) bool { return yield(&v, nil) }); err != nil {
			yield(nil, fmt.Errorf("the lot of %d to %d: %w", r.CbteDesde, r.CbteHasta, err))
		}
	}
}

// Each yields the invoices of rows, one after the other. An error, such as ctx's, ends the iteration.
func Each(ctx context.Context, all iter.Seq2[*Row, error]) iter.Seq2[*backend.Invoice, error] {
	return func(yield func(*backend.Invoice, error) bool) {
		for r, err := range all {
			if err != nil {
				yield(nil, err)
				return
			}
			for v, err := range r.All() {
				if err == nil {
					err = ctx.Err()
				}
				if err != nil {
					yield(nil, err)
					return
				}
				if !yield(v, nil) {
					return
				}
			}
		}
	}
}
