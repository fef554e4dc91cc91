package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/fielato/fielato/audit"
)

// Head implements audit.Store. A commit that is under way holds the row of the log, also one
// whose connection was lost after it was sent: the server ends it before this continues. One that waited
// for a replica is ended without it, and is there as if the replica had it. So Head writes the row as it
// is, and its own commit waits for the replica.
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
	options := pgx.TxOptions{IsoLevel: pgx.ReadCommitted} // the view is of after the wait
	err = s.pool.Transact(ctx, options, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "UPDATE audit_leases SET fence = fence WHERE name = $1", writeLease(log)); err != nil {
			return err
		}
		v, err = scanView(tx.QueryRow(ctx, selectView, log))
		return err
	})
	return v, s.pool.Explain(fmt.Sprintf("reading log %q of", log), err)
}
