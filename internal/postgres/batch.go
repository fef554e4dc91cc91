package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// TransactBatch is Transact for statements that do not wait for each other's answers: they
// leave in one piece with the BEGIN before them. So a transaction takes two round trips, one
// for all of them and one for the commit.
//
// fill queues the statements, with functions that take their results: an error of one of
// these undoes the transaction and is returned as it is. Both may run more than once.
func (p *Pool) TransactBatch(ctx context.Context, fill func(*pgx.Batch)) error {
	return p.again(ctx, func() error {
		conn, err := p.Acquire(ctx)
		if err != nil {
			return err
		}
		defer conn.Release()
		batch := &pgx.Batch{}
		batch.Queue("BEGIN")
		fill(batch)
		if err := conn.SendBatch(ctx, batch).Close(); err != nil {
			// Before the connection goes back, or it would be closed with its transaction.
			rollback, cancel := context.WithTimeout(context.WithoutCancel(ctx), commitTimeout)
			defer cancel()
			_, _ = conn.Exec(rollback, "ROLLBACK")
			return err
		}
		return commit(ctx, conn.Conn(), func(ctx context.Context) error {
			tag, err := conn.Exec(ctx, "COMMIT")
			if err == nil && tag.String() == "ROLLBACK" {
				return pgx.ErrTxCommitRollback
			}
			return err
		})
	})
}
