package postgres

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/fielato/fielato/backend"
)

// witness is a row that a transaction has written, by which it can be told later whether
// it was committed.
type witness struct {
	// insert and row write it.
	insert string
	row    []any
	// find and key look for who has written it.
	find string
	key  []any
	// written is the transaction's number.
	written int64
}

// errLooked undoes the transaction that looked.
var errLooked = errors.New("looked")

// settle tells whether the transaction of a witness was committed. It asks until the
// ledger's patience is over; then its error is backend.ErrUncertain.
//
// The server may still be at work on the commit whose answer was lost. An insert of the
// same row waits for that, and is undone: after it the row is there for good, or never.
func (l *Ledger) settle(w *witness, doubt error) (kept bool, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), l.settleWithin)
	defer cancel()
	for {
		err := l.pool.Transact(ctx, locking, func(tx pgx.Tx) error {
			kept, err = w.look(ctx, tx)
			return cmp.Or(err, errLooked)
		})
		if errors.Is(err, errLooked) {
			return kept, nil
		}
		if !rest(ctx, time.Second/4) {
			return false, fmt.Errorf("%w: %w; asking again failed: %w", backend.ErrUncertain, doubt, err)
		}
	}
}

// look reports whether the row is there, and is the witness's own.
func (w *witness) look(ctx context.Context, tx pgx.Tx) (bool, error) {
	done, err := tx.Exec(ctx, w.insert, w.row...)
	if err != nil || done.RowsAffected() > 0 {
		return false, err // what was inserted now was not there
	}
	var writer int64
	err = tx.QueryRow(ctx, w.find, w.key...).Scan(&writer)
	if errors.Is(err, pgx.ErrNoRows) {
		return false, nil // another row has its place: the same fortnight
	}
	return writer == w.written, err
}

// rest waits, and reports whether ctx goes on.
func rest(ctx context.Context, pause time.Duration) bool {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
