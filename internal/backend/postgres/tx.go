package postgres

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"github.com/fielato/fielato/internal/backend"
)

// tx is the transaction of a single Update. It reads and writes as the function goes.
type tx struct {
	reader
	serials *serials
	// written is the transaction's number, witness a row that it has written.
	written int64
	witness *witness
	// taken is how many serial numbers the function was given.
	taken int
	// skipped is the highest serial number given elsewhere, -1 until it is read.
	skipped int64
}

// note keeps the first witness.
func (t *tx) note(w *witness) {
	if t.witness == nil {
		t.witness = w
	}
}

func (t *tx) Append(ctx context.Context, series backend.Series, invoices []backend.Invoice) error {
	before, found, err := t.series(ctx, series)
	if err != nil {
		return err
	}
	state, err := before.Extend(invoices)
	if err != nil || len(invoices) == 0 {
		return err
	}
	var kept columns
	beside := derivedRows{used: map[string]bool{}}
	kept.add(series, invoices)
	for i := range invoices {
		d, err := deriveFrom(series, &invoices[i])
		if err != nil {
			return err
		}
		beside.add(series, invoices[i].CbteHasta, &d)
	}
	batch := &pgx.Batch{}
	if found {
		queueMove(batch, series, before.Last, state)
	} else {
		batch.Queue(insertSeries, of(series, state.Last, string(state.LastFch))...)
	}
	kept.queue(batch, t.written)
	beside.queue(batch, series.PtoVta)
	if err := t.send(ctx, batch); err != nil {
		return t.failed("write invoices", err)
	}
	t.note(kept.witness(t.written))
	return nil
}

func (t *tx) Serials(ctx context.Context, n int) ([]int64, error) {
	if err := t.loadSkipped(ctx); err != nil {
		return nil, err
	}
	given, err := t.serials.take(n, t.skipped)
	if err != nil {
		// The numbers given before are lost: the next attempt needs as many again.
		return nil, t.failed("serial numbers", &lack{t.taken + n, t.skipped})
	}
	t.taken += n
	return given, nil
}

// SkipSerials only raises the mark. Every transaction reads it, so the numbers in the
// ledgers' own blocks are skipped too.
func (t *tx) SkipSerials(ctx context.Context, last int64) error {
	if err := t.loadSkipped(ctx); err != nil {
		return err
	}
	if last <= t.skipped {
		return nil
	}
	if _, err := t.exec(ctx, updateSkipped, last); err != nil {
		return t.failed("skip serial numbers", err)
	}
	t.skipped = last
	return nil
}

func (t *tx) loadSkipped(ctx context.Context) error {
	if t.skipped >= 0 {
		return nil
	}
	if err := t.row(ctx, selectSkipped, nil, &t.skipped); err != nil {
		return t.failed("read serial", err)
	}
	return nil
}

func (t *tx) AddCAEA(ctx context.Context, c backend.CAEA) error {
	row := []any{
		c.Code, int64(c.Cuit), c.Periodo, c.Orden,
		string(c.FchVigDesde), string(c.FchVigHasta), string(c.FchTopeInf), string(c.FchProceso), t.written,
	}
	return t.add(ctx, &witness{insert: insertCAEA, row: row, find: writerOfCAEA, key: row[:1], written: t.written})
}

func (t *tx) AddSinMovimiento(ctx context.Context, d backend.SinMovimiento) error {
	row := []any{d.CAEA, d.PtoVta, string(d.FchProceso), t.written}
	return t.add(ctx, &witness{insert: insertSinMovimiento, row: row, find: writerOfSinMovimiento, key: row[:2], written: t.written})
}

// add inserts a row, or returns ErrExists.
func (t *tx) add(ctx context.Context, w *witness) error {
	done, err := t.exec(ctx, w.insert, w.row...)
	if err != nil {
		return t.failed("write", err)
	}
	if done == 0 {
		return backend.ErrExists
	}
	t.note(w)
	return nil
}

func (t *tx) Reset(ctx context.Context) error {
	for _, table := range emptied {
		if _, err := t.exec(ctx, "DELETE FROM "+table); err != nil {
			return t.failed("empty "+table, err)
		}
	}
	// The rows written before are gone, so none of them can be the witness.
	t.witness = nil
	return nil
}

// errRefused undoes a transaction whose function has returned an error.
var errRefused = errors.New("refused")

// runAlone runs a function in a transaction of its own.
func (l *Ledger) runAlone(fn func(backend.Tx) error) error {
	var refused error
	err := l.commit(serial, func(ctx context.Context, inner pgx.Tx, written int64) (*witness, error) {
		t := &tx{reader: reader{tx: inner, lock: true}, serials: &l.serials, written: written, skipped: -1}
		refused = call(fn, t)
		switch {
		case t.broken != nil:
			return nil, t.broken // whatever fn made of it
		case refused != nil:
			return nil, errRefused
		}
		return t.witness, nil
	})
	if errors.Is(err, errRefused) {
		return refused
	}
	return err
}
