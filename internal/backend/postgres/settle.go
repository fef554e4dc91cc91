package postgres

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/fielato/fielato/internal/backend"
)

// witness is a row written by a transaction. It shows later whether the transaction was
// committed.
type witness struct {
	// insert and row write it.
	insert string
	row    []any
	// find and key read which transaction has written it.
	find string
	key  []any
	// written is the transaction's number.
	written int64
}

// errLooked undoes the transaction that looked for a witness.
var errLooked = errors.New("looked")

// settle reports whether the transaction of a witness was committed. It asks until
// settleWithin has passed; its error is then backend.ErrUncertain.
//
// The server may still be working on the commit whose answer was lost. Inserting the same
// row waits for that to end, and is undone: from then on the row exists for good, or never
// will.
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

// look reports whether the row exists and was written by the witness's transaction.
func (w *witness) look(ctx context.Context, tx pgx.Tx) (bool, error) {
	done, err := tx.Exec(ctx, w.insert, w.row...)
	if err != nil || done.RowsAffected() > 0 {
		return false, err // the insert succeeded, so the row did not exist
	}
	var writer int64
	err = tx.QueryRow(ctx, w.find, w.key...).Scan(&writer)
	if errors.Is(err, pgx.ErrNoRows) {
		return false, nil // another row was in the way, such as a CAEA of the same fortnight
	}
	return writer == w.written, err
}

// rest waits for pause, or until ctx ends. It reports whether ctx is still alive.
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
