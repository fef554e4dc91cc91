package postgres

import (
	"context"
	"iter"

	"github.com/fielato/fielato/internal/backend"
	"github.com/fielato/fielato/internal/backend/rows"
)

// pageSize is how many rows are read at a time. A statement for all rows would run as long
// as its reader takes and meet the server's statement_timeout.
const pageSize = 256

func (r *reader) AllSeries(ctx context.Context) ([]backend.Series, error) {
	return list(ctx, r, "series", selectAllSeries, nil, func(row scanner, s *backend.Series) error {
		return row.Scan(&s.Cuit, &s.PtoVta, &s.CbteTipo)
	})
}

func (r *reader) AllInvoices(ctx context.Context, series backend.Series) iter.Seq2[*backend.Invoice, error] {
	return func(yield func(*backend.Invoice, error) bool) {
		if r.lock {
			if _, _, err := r.series(ctx, series); err != nil {
				yield(nil, err)
				return
			}
		}
		rows.Each(ctx, pages(ctx, r, "invoices", scanRow, func(last *rows.Row) (string, []any) {
			after := int64(0)
			if last != nil {
				after = last.CbteHasta
			}
			return selectInvoices, of(series, after, pageSize)
		}))(yield)
	}
}

func (r *reader) AllCAEAs(ctx context.Context) iter.Seq2[*backend.CAEA, error] {
	return pages(ctx, r, "caea", scanCAEA, func(last *backend.CAEA) (string, []any) {
		after := ""
		if last != nil {
			after = last.Code
		}
		return selectCAEAs, []any{after, pageSize}
	})
}

func (r *reader) AllSinMovimiento(ctx context.Context) iter.Seq2[*backend.SinMovimiento, error] {
	return pages(ctx, r, "sin movimiento", scanSinMovimiento, func(last *backend.SinMovimiento) (string, []any) {
		var after backend.SinMovimiento
		if last != nil {
			after = *last
		}
		return selectAllSinMovimiento, []any{after.CAEA, after.PtoVta, pageSize}
	})
}

// pages yields what a statement finds, page by page. next returns the statement for the
// rows after last, which is nil at the beginning.
func pages[T any](ctx context.Context, r *reader, what string, scan func(scanner, *T) error, next func(last *T) (string, []any)) iter.Seq2[*T, error] {
	return func(yield func(*T, error) bool) {
		for last := (*T)(nil); ; {
			statement, args := next(last)
			page, err := list(ctx, r, what, statement, args, scan)
			if err != nil {
				yield(nil, err)
				return
			}
			if len(page) > 0 {
				// This is a copy: the caller may change what it is given.
				last = new(page[len(page)-1])
			}
			for i := range page {
				if err := ctx.Err(); err != nil {
					yield(nil, err)
					return
				}
				if !yield(&page[i], nil) {
					return
				}
			}
			if len(page) < pageSize {
				return
			}
		}
	}
}
