package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/fielato/fielato/audit"
)

// Head implements audit.Store. A commit that is under way holds the row of the log, also one
// whose connection was lost after it was sent: the server ends it before this continues.
func (s *Store) Head(ctx context.Context, log string) (audit.Head, error) {
	v, err := s.head(ctx, log)
	if err != nil {
		return audit.Head{}, err
	}
	return audit.Head{Size: v.Size, Checkpoint: v.Checkpoint}, nil
}

// Glimpse implements audit.Glimpser.
func (s *Store) Glimpse(ctx context.Context, log string) (audit.Head, error) {
	v, err := s.view(ctx, log)
	return audit.Head{Size: v.Size, Checkpoint: v.Checkpoint}, err
}

func (s *Store) head(ctx context.Context, log string) (v view, err error) {
	if s.reader {
		return s.view(ctx, log)
	}
	state := s.state(log)
	state.mu.Lock() // a commit of this store ends first
	defer state.mu.Unlock()
	if err := s.mayWrite(); err != nil {
		return view{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, commitTimeout)
	defer cancel()
	err = s.pool.Read(ctx, func() error {
		tx, err := s.pool.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.ReadCommitted}) // the view is of after the wait
		if err != nil {
			return err
		}
		defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }() // it has changed nothing
		if _, err := tx.Exec(ctx, lockLease, writeLease(log)); err != nil {
			return err
		}
		v, err = scanView(tx.QueryRow(ctx, selectView, log))
		return err
	})
	return v, s.pool.Explain(fmt.Sprintf("reading log %q of", log), err)
}
