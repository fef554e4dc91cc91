package sqlite

import (
	"context"
	"fmt"

	"github.com/fielato/fielato/internal/backend"
	"github.com/fielato/fielato/internal/backend/rows"
	"github.com/fielato/fielato/wsfev1"
)

func (t *tx) Append(ctx context.Context, series backend.Series, invoices []backend.Invoice) error {
	if t.known.id == 0 || t.known.of != series {
		if _, err := t.Series(ctx, series); err != nil {
			return err
		}
	}
	id, before := t.known.id, t.known.state
	state, err := before.Extend(invoices)
	if err != nil {
		return err
	}
	t.known = end{}
	if id == 0 {
		if id, err = t.addSeries(ctx, series); err != nil {
			return err
		}
	}
	if err := t.insert(ctx, id, invoices); err != nil {
		return err
	}
	if err := t.insertBeside(ctx, id, series, invoices); err != nil {
		return err
	}
	return t.move(ctx, id, before.Last, state)
}

// move moves the end of a series, if it still is where the numbers follow.
func (t *tx) move(ctx context.Context, id, last int64, to backend.SeriesState) error {
	result, err := t.modify(ctx, updateSeries, to.Last, string(to.LastFch), id, last)
	if err != nil {
		return fmt.Errorf("write series: %w", err)
	}
	moved, err := result.RowsAffected()
	if err != nil {
		return fmt.Errorf("write series: %w", err)
	}
	if moved != 1 {
		return fmt.Errorf("%w: the series does not end at %d", backend.ErrSequence, last)
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

func (t *tx) insert(ctx context.Context, id int64, invoices []backend.Invoice) error {
	for r := range rows.Of(invoices) {
		_, err := t.modify(ctx, insertInvoice, invoiceID(id, r.CbteHasta), r.CbteDesde, string(r.CbteFch), r.Code,
			r.EmisionTipo, string(r.FchVto), string(r.FchProceso), string(r.Detail), string(r.Observaciones), r.Lot)
		if err != nil {
			return fmt.Errorf("write invoices %d to %d: %w", r.CbteDesde, r.CbteHasta, err)
		}
		t.written += (len(r.Lot) + len(r.Detail)) / bytesPerRow
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
