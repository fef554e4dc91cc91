package sqlite

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/fielato/fielato/internal/backend"
	"github.com/fielato/fielato/internal/panics"
)

// tx is the writer's open transaction, in which the functions of a whole group run. It
// belongs to the writer's goroutine.
type tx struct {
	reader
	exec interface {
		ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	}
	// shared is set if the transaction has several functions, each of which needs a
	// savepoint. saved is set once the running one has its own.
	shared, saved bool
	// undo is set if the only function failed: the transaction is rolled back.
	undo bool
	// broken is an error after which the whole transaction must be rolled back.
	broken error
	// serial is the last serial number given out, savedSerial the last one on disk.
	// Both are 0 until a function asks for one. A function that fails leaves a gap.
	serial, savedSerial int64
	// known is the end of a series as the running function has read it. Nobody else writes.
	known end
	// written counts the rows, and large ones several times, for the checkpoints.
	written int
}

// end is how far a series has come, and its identifier in the file, 0 for a new one.
type end struct {
	of    backend.Series
	id    int64
	state backend.SeriesState
}

// Series reads the end of a series. Append, which mostly follows, then knows it.
func (t *tx) Series(ctx context.Context, series backend.Series) (backend.SeriesState, error) {
	id, state, err := t.reader.series(ctx, series)
	if err != nil {
		return state, err
	}
	t.known = end{series, id, state}
	return state, nil
}

// run runs one function. If the function fails, the transaction is as it was before.
func (t *tx) run(ctx context.Context, fn func(backend.Tx) error) error {
	if t.broken != nil {
		return nil //nolint:nilerr // the writer looks at broken and fails the whole group
	}
	t.saved, t.known = false, end{}
	err := t.call(fn)
	switch {
	case err == nil && t.saved:
		_, t.broken = t.prepared[release].ExecContext(ctx)
	case err != nil && t.saved:
		_, t.broken = t.exec.ExecContext(ctx, "ROLLBACK TO job; RELEASE job")
	case err != nil && !t.shared:
		t.undo = true
	}
	return err
}

// call turns a panic into an error. On the writer's goroutine it would end the program
// instead of one request.
func (t *tx) call(fn func(backend.Tx) error) error {
	return panics.Do("an update of the ledger", func() error { return fn(t) })
}

// modify executes a statement that writes. The first one of a function sets the
// function's savepoint.
func (t *tx) modify(ctx context.Context, s statement, args ...any) (sql.Result, error) {
	ctx = context.WithoutCancel(ctx)
	if err := t.save(ctx); err != nil {
		return nil, err
	}
	t.written++
	return t.prepared[s].ExecContext(ctx, args...)
}

func (t *tx) save(ctx context.Context) error {
	if !t.shared || t.saved {
		return nil
	}
	if _, err := t.prepared[savepoint].ExecContext(ctx); err != nil {
		return fmt.Errorf("savepoint: %w", err)
	}
	t.saved = true
	return nil
}

func (t *tx) Serials(ctx context.Context, n int) ([]int64, error) {
	if err := t.loadSerial(ctx); err != nil {
		return nil, err
	}
	serials := make([]int64, n)
	for i := range serials {
		t.serial++
		serials[i] = t.serial
	}
	return serials, nil
}

func (t *tx) SkipSerials(ctx context.Context, last int64) error {
	if err := t.loadSerial(ctx); err != nil {
		return err
	}
	t.serial = max(t.serial, last)
	return nil
}

func (t *tx) loadSerial(ctx context.Context) error {
	if t.serial != 0 {
		return nil
	}
	if err := t.row(ctx, selectSerial).Scan(&t.serial); err != nil {
		return fmt.Errorf("read serial: %w", err)
	}
	t.savedSerial = t.serial
	return nil
}

// flush writes the last serial number, once for the whole group.
func (t *tx) flush(ctx context.Context) error {
	if t.serial == t.savedSerial {
		return nil
	}
	if _, err := t.prepared[updateSerial].ExecContext(ctx, t.serial); err != nil {
		return fmt.Errorf("write serial: %w", err)
	}
	return nil
}

func (t *tx) AddCAEA(ctx context.Context, c backend.CAEA) error {
	result, err := t.modify(ctx, insertCAEA, c.Code, int64(c.Cuit), c.Periodo, c.Orden,
		string(c.FchVigDesde), string(c.FchVigHasta), string(c.FchTopeInf), string(c.FchProceso))
	return added(result, err)
}

func (t *tx) AddSinMovimiento(ctx context.Context, d backend.SinMovimiento) error {
	result, err := t.modify(ctx, insertSinMovimiento, d.CAEA, d.PtoVta, string(d.FchProceso))
	return added(result, err)
}

// added returns ErrExists if an insert found the row already there.
func added(result sql.Result, err error) error {
	if err != nil {
		return fmt.Errorf("ledger: write: %w", err)
	}
	rows, err := result.RowsAffected()
	if err != nil {
		return fmt.Errorf("ledger: write: %w", err)
	}
	if rows == 0 {
		return backend.ErrExists
	}
	return nil
}
