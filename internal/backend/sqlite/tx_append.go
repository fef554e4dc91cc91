package sqlite

import (
	"context"
	"fmt"
	"strings"

	"github.com/fielato/fielato/internal/backend"
	"github.com/fielato/fielato/wsfev1"
)

func (t *tx) Append(ctx context.Context, series backend.Series, invoices []backend.Invoice) error {
	id, state, err := t.series(ctx, series)
	if err != nil {
		return err
	}
	if state, err = state.Extend(invoices); err != nil {
		return err
	}
	if id == 0 {
		if id, err = t.addSeries(ctx, series); err != nil {
			return err
		}
	}
	if err := t.insertAll(ctx, id, invoices); err != nil {
		return err
	}
	if err := t.insertBeside(ctx, id, series, invoices); err != nil {
		return err
	}
	if _, err := t.modify(ctx, updateSeries, state.Last, string(state.LastFch), id); err != nil {
		return fmt.Errorf("write series: %w", err)
	}
	return nil
}

func (t *tx) addSeries(ctx context.Context, series backend.Series) (int64, error) {
	result, err := t.modify(ctx, insertSeries, int64(series.Cuit), series.PtoVta, series.CbteTipo)
	if err != nil {
		return 0, fmt.Errorf("add series: %w", err)
	}
	return result.LastInsertId()
}

// insertAll writes the invoices, rowsAtOnce of them in one statement where they have all in common that such a
// statement takes only once.
func (t *tx) insertAll(ctx context.Context, id int64, invoices []backend.Invoice) error {
	var args []any
	for len(invoices) > 0 {
		if !alike(invoices) {
			if err := t.insert(ctx, id, &invoices[0]); err != nil {
				return err
			}
			invoices = invoices[1:]
			continue
		}
		args = severalRows(args[:0], id, invoices[:rowsAtOnce])
		if _, err := t.modify(ctx, insertInvoices, args...); err != nil {
			return fmt.Errorf("write invoices %d to %d: %w", invoices[0].CbteDesde, invoices[rowsAtOnce-1].CbteHasta, err)
		}
		t.written += rowsAtOnce - 1
		invoices = invoices[rowsAtOnce:]
	}
	return nil
}

// alike reports whether the first invoices fit into one insertInvoices: no range of numbers is among them, and they
// were processed together and are of one day and kind.
func alike(invoices []backend.Invoice) bool {
	if len(invoices) < rowsAtOnce {
		return false
	}
	first := &invoices[0]
	for i := range invoices[:rowsAtOnce] {
		v := &invoices[i]
		if v.CbteDesde != v.CbteHasta || v.CbteFch != first.CbteFch || v.EmisionTipo != first.EmisionTipo ||
			v.FchVto != first.FchVto || v.FchProceso != first.FchProceso {
			return false
		}
	}
	return true
}

// severalRows appends the arguments of insertInvoices. One text holds the details: a copy of each costs more.
func severalRows(args []any, id int64, invoices []backend.Invoice) []any {
	first, length := &invoices[0], 0
	for i := range invoices {
		length += len(invoices[i].Detail)
	}
	var text strings.Builder
	text.Grow(length)
	for i := range invoices {
		text.Write(invoices[i].Detail)
	}
	details := text.String()
	args = append(args, string(first.CbteFch), first.EmisionTipo, string(first.FchVto), string(first.FchProceso))
	for i := range invoices {
		v := &invoices[i]
		args = append(args, invoiceID(id, v.CbteHasta), v.Code, details[:len(v.Detail)], string(v.Observaciones))
		details = details[len(v.Detail):]
	}
	return args
}

func (t *tx) insert(ctx context.Context, id int64, v *backend.Invoice) error {
	_, err := t.modify(ctx, insertInvoice, invoiceID(id, v.CbteHasta), v.CbteDesde, string(v.CbteFch), v.Code,
		v.EmisionTipo, string(v.FchVto), string(v.FchProceso), string(v.Detail), string(v.Observaciones))
	if err != nil {
		return fmt.Errorf("write invoice %d: %w", v.CbteDesde, err)
	}
	return nil
}

// insertBeside writes what other tables keep of the invoices: what they refer to, and the advance codes that they use.
func (t *tx) insertBeside(ctx context.Context, id int64, series backend.Series, invoices []backend.Invoice) error {
	used := ""
	for i := range invoices {
		v := &invoices[i]
		if err := t.insertReferences(ctx, id, series.Cuit, v); err != nil {
			return err
		}
		if v.EmisionTipo != backend.EmisionCAEA || v.Code == used {
			continue
		}
		if _, err := t.modify(ctx, insertUsed, v.Code, series.PtoVta); err != nil {
			return fmt.Errorf("write use of caea: %w", err)
		}
		used = v.Code
	}
	return nil
}

// insertReferences indexes the vouchers that the invoice refers to, for Referring.
func (t *tx) insertReferences(ctx context.Context, id int64, issuer wsfev1.CUIT, v *backend.Invoice) error {
	references, err := backend.References(issuer, v.Detail)
	if err != nil {
		return fmt.Errorf("what invoice %d refers to: %w", v.CbteDesde, err)
	}
	for _, r := range references {
		_, err := t.modify(ctx, insertReference, int64(r.Cuit), r.CbteTipo, r.PtoVta, r.Nro, invoiceID(id, v.CbteHasta))
		if err != nil {
			return fmt.Errorf("write what invoice %d refers to: %w", v.CbteDesde, err)
		}
	}
	return nil
}
