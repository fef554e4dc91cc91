package sqlite

import (
	"context"
	"fmt"

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
	for i := range invoices {
		if err := t.insert(ctx, id, series, &invoices[i]); err != nil {
			return err
		}
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

func (t *tx) insert(ctx context.Context, id int64, series backend.Series, v *backend.Invoice) error {
	_, err := t.modify(ctx, insertInvoice, invoiceID(id, v.CbteHasta), v.CbteDesde, string(v.CbteFch), v.Code,
		v.EmisionTipo, string(v.FchVto), string(v.FchProceso), string(v.Detail), string(v.Observaciones))
	if err != nil {
		return fmt.Errorf("write invoice %d: %w", v.CbteDesde, err)
	}
	if err := t.insertReferences(ctx, id, series.Cuit, v); err != nil {
		return err
	}
	if v.EmisionTipo != backend.EmisionCAEA {
		return nil
	}
	if _, err := t.modify(ctx, insertUsed, v.Code, series.PtoVta); err != nil {
		return fmt.Errorf("write use of caea: %w", err)
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
