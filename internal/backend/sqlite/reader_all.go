package sqlite

import (
	"context"
	"fmt"
	"iter"

	"github.com/fielato/fielato/internal/backend"
	"github.com/fielato/fielato/internal/backend/rows"
)

func (r *reader) AllSeries(ctx context.Context) ([]backend.Series, error) {
	return list(ctx, r, "series", selectAllSeries, nil, func(row scanner) (*backend.Series, error) {
		var s backend.Series
		return &s, row.Scan(&s.Cuit, &s.PtoVta, &s.CbteTipo)
	})
}

func (r *reader) AllInvoices(ctx context.Context, series backend.Series) iter.Seq2[*backend.Invoice, error] {
	return func(yield func(*backend.Invoice, error) bool) {
		id, state, err := r.series(ctx, series)
		if err != nil {
			yield(nil, err)
			return
		}
		bounds := []any{invoiceID(id, 1), invoiceID(id, state.Last)}
		rows.Each(ctx, each(ctx, r, "invoices", selectAllInvoices, bounds, scanRow))(yield)
	}
}

func (r *reader) AllCAEAs(ctx context.Context) iter.Seq2[*backend.CAEA, error] {
	return each(ctx, r, "caea", selectAllCAEAs, nil, scanCAEA)
}

func (r *reader) AllSinMovimiento(ctx context.Context) iter.Seq2[*backend.SinMovimiento, error] {
	return each(ctx, r, "sin movimiento", selectAllSinMovimiento, nil, scanSinMovimiento)
}

// each yields what a statement finds, row by row.
func each[T any](ctx context.Context, r *reader, what string, s statement, bounds []any, scan func(scanner) (*T, error)) iter.Seq2[*T, error] {
	return func(yield func(*T, error) bool) {
		rows, err := r.statement(ctx, s).QueryContext(context.WithoutCancel(ctx), bounds...)
		if err != nil {
			yield(nil, fmt.Errorf("read %s: %w", what, err))
			return
		}
		defer rows.Close()
		for rows.Next() {
			if err := ctx.Err(); err != nil {
				yield(nil, err)
				return
			}
			found, err := scan(rows)
			if err != nil {
				yield(nil, fmt.Errorf("read %s: %w", what, err))
				return
			}
			if !yield(found, nil) {
				return
			}
		}
		if err := rows.Err(); err != nil {
			yield(nil, fmt.Errorf("read %s: %w", what, err))
		}
	}
}

// list returns all rows that a statement finds.
func list[T any](ctx context.Context, r *reader, what string, s statement, bounds []any, scan func(scanner) (*T, error)) (all []T, err error) {
	for found, err := range each(ctx, r, what, s, bounds, scan) {
		if err != nil {
			return nil, err
		}
		all = append(all, *found)
	}
	return all, nil
}
