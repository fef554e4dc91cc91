package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/fielato/fielato/internal/backend"
	"github.com/fielato/fielato/internal/backend/rows"
	"github.com/fielato/fielato/wsfev1"
)

// reader reads one state of the ledger: the snapshot of a View or the open transaction
// of an Update.
type reader struct {
	prepared statements
	// tx is the snapshot's transaction, nil on the writer's own connection.
	tx *sql.Tx
}

// statement does not pass the caller's context on: if the context could end, the driver
// would start a goroutine to watch each statement.
func (r *reader) statement(ctx context.Context, s statement) *sql.Stmt {
	if r.tx == nil {
		return r.prepared[s]
	}
	return r.tx.StmtContext(context.WithoutCancel(ctx), r.prepared[s])
}

func (r *reader) row(ctx context.Context, s statement, args ...any) *sql.Row {
	return r.statement(ctx, s).QueryRowContext(context.WithoutCancel(ctx), args...)
}

func (r *reader) Series(ctx context.Context, series backend.Series) (backend.SeriesState, error) {
	_, state, err := r.series(ctx, series)
	return state, err
}

// series returns the identifier and state of a series. The identifier is 0 if the
// ledger has no such series.
func (r *reader) series(ctx context.Context, series backend.Series) (id int64, state backend.SeriesState, err error) {
	err = r.row(ctx, selectSeries, int64(series.Cuit), series.PtoVta, series.CbteTipo).
		Scan(&id, &state.Last, &state.LastFch)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, backend.SeriesState{}, nil
	}
	if err != nil {
		return 0, state, fmt.Errorf("read series: %w", err)
	}
	return id, state, nil
}

func (r *reader) Invoice(ctx context.Context, series backend.Series, number int64) (*backend.Invoice, error) {
	id, state, err := r.series(ctx, series)
	if err != nil {
		return nil, err
	}
	if number < 1 || number > state.Last {
		return nil, backend.ErrNotFound
	}
	row, err := scanRow(r.row(ctx, selectInvoice, invoiceID(id, number), invoiceID(id, state.Last)))
	if err != nil {
		// Every number up to the last has an invoice, so a missing row is an error.
		return nil, fmt.Errorf("read invoice %d: %w", number, err)
	}
	invoice, err := row.Find(number)
	if err != nil {
		return nil, fmt.Errorf("read invoice %d: %w", number, err)
	}
	return invoice, nil
}

// scanner is a row.
type scanner interface{ Scan(into ...any) error }

// scanRow reads the invoiceColumns.
func scanRow(row scanner) (*rows.Row, error) {
	var r rows.Row
	var key int64
	err := row.Scan(&key, &r.CbteDesde, &r.CbteFch, &r.Code, &r.EmisionTipo, &r.FchVto, &r.FchProceso, &r.Detail, &r.Observaciones, &r.Lot)
	r.CbteHasta = key & (1<<numberBits - 1)
	return &r, err
}

func invoiceID(series, number int64) int64 { return series<<numberBits | number }

func (r *reader) CAEA(ctx context.Context, code string) (*backend.CAEA, error) {
	return scanCAEA(r.row(ctx, selectCAEA, code))
}

func (r *reader) CAEAOf(ctx context.Context, cuit wsfev1.CUIT, periodo int32, orden int16) (*backend.CAEA, error) {
	return scanCAEA(r.row(ctx, selectCAEAOf, int64(cuit), periodo, orden))
}

func scanCAEA(row scanner) (*backend.CAEA, error) {
	var c backend.CAEA
	err := row.Scan(&c.Code, &c.Cuit, &c.Periodo, &c.Orden, &c.FchVigDesde, &c.FchVigHasta, &c.FchTopeInf, &c.FchProceso)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, backend.ErrNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("read caea: %w", err)
	}
	return &c, nil
}

func (r *reader) CAEAUsed(ctx context.Context, code string, ptoVta int32) (bool, error) {
	var count int
	if err := r.row(ctx, selectUsed, code, ptoVta).Scan(&count); err != nil {
		return false, fmt.Errorf("read use of caea: %w", err)
	}
	return count > 0, nil
}

func scanSinMovimiento(row scanner) (*backend.SinMovimiento, error) {
	var d backend.SinMovimiento
	return &d, row.Scan(&d.CAEA, &d.PtoVta, &d.FchProceso)
}

func (r *reader) SinMovimiento(ctx context.Context, code string) ([]backend.SinMovimiento, error) {
	return list(context.WithoutCancel(ctx), r, "sin movimiento", selectSinMovimiento, []any{code}, scanSinMovimiento)
}

func (r *reader) Referring(ctx context.Context, voucher backend.IssuedVoucher) ([]backend.Referrer, error) {
	asked := []any{int64(voucher.Cuit), voucher.CbteTipo, voucher.PtoVta, voucher.Nro}
	return list(context.WithoutCancel(ctx), r, "references", selectReferring, asked, func(row scanner) (*backend.Referrer, error) {
		var f backend.Referrer
		return &f, row.Scan(&f.Cuit, &f.PtoVta, &f.CbteTipo, &f.CbteHasta)
	})
}
