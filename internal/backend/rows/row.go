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
	v, err := &r.Invoice, error(nil)
	if r.Lot != nil {
		v, err = r.findInLot(number)
	}
	if err == nil && (number < v.CbteDesde || number > v.CbteHasta) {
		err = errDamaged
	}
	if err != nil {
		return nil, fmt.Errorf("number %d in the row of %d to %d: %w", number, r.CbteDesde, r.CbteHasta, err)
	}
	return v, nil
}

// findInLot returns a copy: the invoice does not hold the lot in memory.
func (r *Row) findInLot(number int64) (*backend.Invoice, error) {
	s := pool.Get().(*scratch)
	defer s.release()
	var err error
	if s.plain, err = decompressed(s.plain, r.Lot); err != nil {
		return nil, err
	}
	c := newCursor(s.plain, r.CbteDesde, r.CbteHasta)
	for c.next() {
		if c.hasta < number {
			continue
		}
		v := new(backend.Invoice)
		c.flags = 0 // no member is in v yet
		c.invoice(v)
		v.Detail, v.Observaciones = bytes.Clone(c.detail), bytes.Clone(c.notes)
		return v, nil
	}
	return nil, errDamaged
}

// All yields the invoices of the row by number. They belong to the caller. An error ends the iteration.
func (r *Row) All() iter.Seq2[*backend.Invoice, error] {
	return func(yield func(*backend.Invoice, error) bool) {
		if r.Lot == nil {
			yield(&r.Invoice, nil)
			return
		}
		plain, err := decompressed(nil, r.Lot)
		c := newCursor(plain, r.CbteDesde, r.CbteHasta)
		var present backend.Invoice
		for err == nil && c.next() {
			c.invoice(&present)
			v := present
			if !yield(&v, nil) {
				return
			}
		}
		if err == nil && c.damaged {
			err = errDamaged
		}
		if err != nil {
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
