package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/segment/run"
)

// mergedStore is the store as its merger sees it.
//
// Its transactions do not lock the row of the log, so that no commit waits for them. Two processes that merge one
// log, of which one was paused while it lost its claim, would write the same rows: the primary keys let only one of
// them write each step.
type mergedStore Store

// Index implements run.Store.
func (s *mergedStore) Index(_ context.Context, log string) (run.Rows, error) {
	return (*Store)(s).rows(log), nil
}

// WriteStep implements run.Store. If its outcome is uncertain, the next merge of the log sees how far this one has
// come.
func (s *mergedStore) WriteStep(ctx context.Context, log string, step *run.Step) error {
	if err := (*Store)(s).mayWrite(); err != nil {
		return err
	}
	s.mu.Lock()
	c := s.claims[log]
	s.mu.Unlock()
	if c != nil && c.lease.left() <= 0 {
		return fmt.Errorf("merging log %q in %s: %w", log, s.pool.Address(), audit.ErrClaimLost)
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), commitTimeout)
	defer cancel()
	err := s.pool.TransactBatch(ctx, func(b *pgx.Batch) {
		for _, list := range step.Lists {
			b.Queue("INSERT INTO audit_lists (log, level, first, bucket, terms) VALUES ($1, $2, $3, $4, $5)",
				log, int64(step.Level), int64(step.First), int64(list.Bucket), list.Terms)
		}
		if row := step.Row; row != nil {
			b.Queue("INSERT INTO audit_runs (log, level, first, next, oldest, newest, open, late, parts) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
				log, int64(row.Level), int64(row.First), int64(row.Next), row.Oldest, row.Newest, row.Open, row.Late, row.Parts)
		}
	})
	return s.pool.Explain("merging in", err)
}
