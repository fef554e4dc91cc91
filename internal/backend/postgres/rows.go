package postgres

import (
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/fielato/fielato/internal/backend"
	"github.com/fielato/fielato/internal/backend/rows"
)

// columns are rows to be inserted into ledger_invoices, with a slice for each column.
type columns struct {
	cuit, ptoVta, cbteTipo, desde, hasta []int64
	fch, code, emision, vto, proceso     []string
	detail, notes, lot                   [][]byte
}

// add copies invoices that are appended together: the caller may reuse its buffers before they are written.
func (r *columns) add(series backend.Series, invoices []backend.Invoice) {
	for v := range rows.Of(invoices) {
		r.cuit = append(r.cuit, int64(series.Cuit))
		r.ptoVta = append(r.ptoVta, int64(series.PtoVta))
		r.cbteTipo = append(r.cbteTipo, int64(series.CbteTipo))
		r.desde = append(r.desde, v.CbteDesde)
		r.hasta = append(r.hasta, v.CbteHasta)
		r.fch = append(r.fch, string(v.CbteFch))
		r.code = append(r.code, v.Code)
		r.emision = append(r.emision, v.EmisionTipo)
		r.vto = append(r.vto, string(v.FchVto))
		r.proceso = append(r.proceso, string(v.FchProceso))
		r.detail = append(r.detail, copied(v.Detail))
		r.notes = append(r.notes, copied(v.Observaciones))
		r.lot = append(r.lot, v.Lot)
	}
}

// copied returns a copy that is never nil: nil would be written as NULL.
func copied(b []byte) []byte { return append(make([]byte, 0, len(b)), b...) }

// cut keeps the first n rows.
func (r *columns) cut(n int) {
	r.cuit, r.ptoVta, r.cbteTipo, r.desde, r.hasta = r.cuit[:n], r.ptoVta[:n], r.cbteTipo[:n], r.desde[:n], r.hasta[:n]
	r.fch, r.code, r.emision, r.vto, r.proceso = r.fch[:n], r.code[:n], r.emision[:n], r.vto[:n], r.proceso[:n]
	r.detail, r.notes, r.lot = r.detail[:n], r.notes[:n], r.lot[:n]
}

func (r *columns) len() int { return len(r.cuit) }

// queue adds the statement that inserts the rows.
func (r *columns) queue(batch *pgx.Batch, written int64) {
	batch.Queue(insertInvoices, r.arguments(r.len(), written)...)
}

func (r *columns) arguments(n int, written int64) []any {
	return []any{
		r.cuit[:n], r.ptoVta[:n], r.cbteTipo[:n], r.desde[:n], r.hasta[:n],
		r.fch[:n], r.code[:n], r.emision[:n], r.vto[:n], r.proceso[:n], r.detail[:n], r.notes[:n], r.lot[:n], written,
	}
}

// witness returns the first row as the witness of the transaction.
func (r *columns) witness(written int64) *witness {
	return &witness{
		insert: insertInvoiceOnce, row: r.arguments(1, written),
		find: writerOfInvoice, key: []any{r.cuit[0], r.ptoVta[0], r.cbteTipo[0], r.hasta[0]}, written: written,
	}
}

// derived holds the rows of an invoice in other tables.
type derived struct {
	references []backend.IssuedVoucher
	// caea is the advance code under which the invoice was issued, empty if none.
	caea string
}

// deriveFrom returns the rows of an invoice besides its own.
func deriveFrom(series backend.Series, v *backend.Invoice) (d derived, err error) {
	if d.references, err = backend.References(series.Cuit, v.Detail); err != nil {
		return d, fmt.Errorf("what invoice %d refers to: %w", v.CbteDesde, err)
	}
	if v.EmisionTipo == backend.EmisionCAEA {
		d.caea = v.Code
	}
	return d, nil
}

func (d *derived) nothing() bool { return len(d.references) == 0 && d.caea == "" }

// derivedRows are the derived rows of many invoices.
type derivedRows struct {
	of, by [4][]int64
	used   map[string]bool
}

func (r *derivedRows) add(series backend.Series, hasta int64, d *derived) {
	for _, v := range d.references {
		for i, n := range [4]int64{int64(v.Cuit), int64(v.CbteTipo), int64(v.PtoVta), v.Nro} {
			r.of[i] = append(r.of[i], n)
		}
		for i, n := range [4]int64{int64(series.Cuit), int64(series.PtoVta), int64(series.CbteTipo), hasta} {
			r.by[i] = append(r.by[i], n)
		}
	}
	if d.caea != "" {
		r.used[d.caea] = true
	}
}

func (r *derivedRows) queue(batch *pgx.Batch, ptoVta int32) {
	if len(r.of[0]) > 0 {
		batch.Queue(insertReferences, r.of[0], r.of[1], r.of[2], r.of[3], r.by[0], r.by[1], r.by[2], r.by[3])
	}
	for code := range r.used {
		batch.Queue(insertUsed, code, ptoVta)
	}
}
