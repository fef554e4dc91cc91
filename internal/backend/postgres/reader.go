package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/fielato/fielato/internal/backend"
	"github.com/fielato/fielato/internal/backend/rows"
	"github.com/fielato/fielato/wsfev1"
)

// answerWithin bounds the wait for an answer from the server. The server ends a statement
// sooner than that (statement_timeout), so after it the server is considered lost.
const answerWithin = time.Minute

// reader reads one state of the ledger: the snapshot of a View or the open transaction of
// an Update.
type reader struct {
	tx pgx.Tx
	// lock makes the reader lock each series that it reads: during an Update nobody else
	// may append to it before the commit.
	lock bool
	// broken is the first error of the database. After it the transaction is undone.
	broken error
}

// failed records an error of the database.
func (r *reader) failed(what string, err error) error {
	err = fmt.Errorf("%s: %w", what, err)
	if r.broken == nil {
		r.broken = err
	}
	return err
}

// bound returns the context of one statement. If the caller's context were used, its end
// would close the connection.
func bound(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), answerWithin)
}

// row reads the one row that a statement finds, or returns pgx.ErrNoRows.
func (r *reader) row(ctx context.Context, statement string, args []any, into ...any) error {
	ctx, cancel := bound(ctx)
	defer cancel()
	return r.tx.QueryRow(ctx, statement, args...).Scan(into...)
}

func (r *reader) exec(ctx context.Context, statement string, args ...any) (rows int64, err error) {
	ctx, cancel := bound(ctx)
	defer cancel()
	done, err := r.tx.Exec(ctx, statement, args...)
	return done.RowsAffected(), err
}

func (r *reader) send(ctx context.Context, batch *pgx.Batch) error {
	ctx, cancel := bound(ctx)
	defer cancel()
	return r.tx.SendBatch(ctx, batch).Close()
}

// list returns all rows that a statement finds.
func list[T any](ctx context.Context, r *reader, what, statement string, args []any, scan func(scanner, *T) error) ([]T, error) {
	ctx, cancel := bound(ctx)
	defer cancel()
	found, err := r.tx.Query(ctx, statement, args...)
	if err != nil {
		return nil, r.failed("read "+what, err)
	}
	defer found.Close()
	var all []T
	for found.Next() {
		var one T
		if err := scan(found, &one); err != nil {
			return nil, r.failed("read "+what, err)
		}
		all = append(all, one)
	}
	if err := found.Err(); err != nil {
		return nil, r.failed("read "+what, err)
	}
	return all, nil
}

func of(series backend.Series, more ...any) []any {
	return append([]any{int64(series.Cuit), series.PtoVta, series.CbteTipo}, more...)
}

func (r *reader) Series(ctx context.Context, series backend.Series) (backend.SeriesState, error) {
	state, _, err := r.series(ctx, series)
	return state, err
}

// series returns the state of a series and reports whether it has a row.
func (r *reader) series(ctx context.Context, series backend.Series) (state backend.SeriesState, found bool, err error) {
	statement := selectSeries
	if r.lock {
		statement = lockSeries
	}
	err = r.row(ctx, statement, of(series), &state.Last, &state.LastFch)
	if errors.Is(err, pgx.ErrNoRows) {
		return state, false, nil
	}
	if err != nil {
		return state, false, r.failed("read series", err)
	}
	return state, true, nil
}

// Invoice locks the series if there is no such invoice: it could otherwise be appended
// while an Update relies on its absence. An invoice that exists cannot change.
func (r *reader) Invoice(ctx context.Context, series backend.Series, number int64) (*backend.Invoice, error) {
	if number < 1 || number > backend.MaxNumber {
		return nil, backend.ErrNotFound
	}
	found, err := list(ctx, r, "invoice", selectInvoice, of(series, number), scanRow)
	if err != nil {
		return nil, err
	}
	if len(found) == 1 && found[0].CbteDesde <= number {
		v, err := found[0].Find(number)
		if err != nil {
			return nil, r.failed("read invoice", err)
		}
		return v, nil
	}
	if r.lock {
		if _, _, err := r.series(ctx, series); err != nil {
			return nil, err
		}
	}
	return nil, backend.ErrNotFound
}

// scanner is a row.
type scanner interface{ Scan(into ...any) error }

// scanRow reads the invoiceColumns.
func scanRow(row scanner, v *rows.Row) error {
	return row.Scan(&v.CbteDesde, &v.CbteHasta, &v.CbteFch, &v.Code, &v.EmisionTipo, &v.FchVto, &v.FchProceso, &v.Detail, &v.Observaciones, &v.Lot)
}

func (r *reader) CAEA(ctx context.Context, code string) (*backend.CAEA, error) {
	return r.caea(ctx, selectCAEA, code)
}

func (r *reader) CAEAOf(ctx context.Context, cuit wsfev1.CUIT, periodo int32, orden int16) (*backend.CAEA, error) {
	return r.caea(ctx, selectCAEAOf, int64(cuit), periodo, orden)
}

func (r *reader) caea(ctx context.Context, statement string, args ...any) (*backend.CAEA, error) {
	found, err := list(ctx, r, "caea", statement, args, scanCAEA)
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, backend.ErrNotFound
	}
	return &found[0], nil
}

func scanCAEA(row scanner, c *backend.CAEA) error {
	return row.Scan(&c.Code, &c.Cuit, &c.Periodo, &c.Orden, &c.FchVigDesde, &c.FchVigHasta, &c.FchTopeInf, &c.FchProceso)
}

func (r *reader) CAEAUsed(ctx context.Context, code string, ptoVta int32) (bool, error) {
	var count int
	if err := r.row(ctx, selectUsed, []any{code, ptoVta}, &count); err != nil {
		return false, r.failed("read use of caea", err)
	}
	return count > 0, nil
}

func (r *reader) SinMovimiento(ctx context.Context, code string) ([]backend.SinMovimiento, error) {
	return list(ctx, r, "sin movimiento", selectSinMovimiento, []any{code}, scanSinMovimiento)
}

func scanSinMovimiento(row scanner, d *backend.SinMovimiento) error {
	return row.Scan(&d.CAEA, &d.PtoVta, &d.FchProceso)
}

func (r *reader) Referring(ctx context.Context, voucher backend.IssuedVoucher) ([]backend.Referrer, error) {
	asked := []any{int64(voucher.Cuit), voucher.CbteTipo, voucher.PtoVta, voucher.Nro}
	return list(ctx, r, "references", selectReferring, asked, func(row scanner, f *backend.Referrer) error {
		return row.Scan(&f.Cuit, &f.PtoVta, &f.CbteTipo, &f.CbteHasta)
	})
}
