package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/postgres"
)

var _ audit.Leases = (*Store)(nil)

// A lease that has not run out stays its holder's. Its last holder takes a lease back without a
// new generation. One that has more left than longestRemainder was taken before the server's
// clock was set back: who wants it shortens it, as its holder may have died.
const (
	takeSeries = `
INSERT INTO audit_series (name, holder, held, wanted, generation, expires)
VALUES ($1, $2, TRUE, FALSE, 1, now() + $3::INT8 * INTERVAL '1 millisecond')
ON CONFLICT (name) DO UPDATE SET
	generation = audit_series.generation + CASE WHEN audit_series.holder = excluded.holder THEN 0 ELSE 1 END,
	holder = excluded.holder, held = TRUE, wanted = FALSE, expires = excluded.expires
WHERE NOT audit_series.held OR audit_series.holder = excluded.holder OR audit_series.expires <= now()
RETURNING generation`
	wantSeries = `
UPDATE audit_series SET wanted = TRUE, expires = LEAST(expires, now() + $3::INT8 * INTERVAL '1 millisecond')
WHERE name = $1 AND held AND holder <> $2 AND (NOT wanted OR expires > now() + $3::INT8 * INTERVAL '1 millisecond')`
	renewSeries = `
UPDATE audit_series SET expires = now() + $3::INT8 * INTERVAL '1 millisecond'
WHERE name = ANY($2) AND holder = $1 AND held RETURNING name`
	wantedSeries    = "SELECT name FROM audit_series WHERE holder = $1 AND held AND wanted"
	returnSeries    = "UPDATE audit_series SET held = FALSE, wanted = FALSE WHERE name = ANY($2) AND holder = $1 AND held"
	abandonedSeries = "SELECT name FROM audit_series WHERE held AND expires <= now() ORDER BY expires LIMIT $1"
)

// errHeld: a name has another holder. It ends the transaction, which has changed nothing.
var errHeld = errors.New("held by another gateway")

// TakeLease implements audit.Leases. If an error leaves open whether the lease was taken, take
// it again.
func (s *Store) TakeLease(ctx context.Context, name, holder string, ttl time.Duration) (lease audit.Lease, err error) {
	if err := s.mayWrite(); err != nil {
		return audit.Lease{}, err
	}
	err = s.retryUncertain(func() error {
		return s.pool.TransactBatch(ctx, func(b *pgx.Batch) {
			b.Queue(takeSeries, name, holder, ttl.Milliseconds()).QueryRow(func(row pgx.Row) error {
				err := row.Scan(&lease.Generation)
				if errors.Is(err, pgx.ErrNoRows) {
					return errHeld
				}
				return err
			})
		})
	})
	switch {
	case err == nil:
		lease.Held = true
		return lease, nil
	case !errors.Is(err, errHeld):
		return audit.Lease{}, s.pool.Explain("taking a series in", err)
	}
	// To want it twice does no harm, and to have wanted it in vain neither.
	err = s.retryUncertain(func() error {
		return s.pool.TransactBatch(ctx, func(b *pgx.Batch) { b.Queue(wantSeries, name, holder, longestRemainder*ttl.Milliseconds()) })
	})
	return audit.Lease{}, s.pool.Explain("waiting for a series in", err)
}

// retryUncertain runs what may be done twice once more, where it is not known whether it was done.
func (s *Store) retryUncertain(fn func() error) error {
	err := fn()
	if errors.Is(err, postgres.ErrUncertain) {
		err = fn()
	}
	return err
}

// TendLeases implements audit.Leases.
func (s *Store) TendLeases(ctx context.Context, holder string, names []string, ttl time.Duration) (kept, wanted []string, err error) {
	if len(names) > 0 {
		err = s.retryUncertain(func() error {
			return s.pool.TransactBatch(ctx, func(b *pgx.Batch) {
				b.Queue(renewSeries, holder, names, ttl.Milliseconds()).Query(func(rows pgx.Rows) (err error) {
					kept, err = pgx.CollectRows(rows, pgx.RowTo[string])
					return err
				})
			})
		})
		if err != nil {
			return nil, nil, s.pool.Explain("renewing series in", err)
		}
	}
	wanted, err = s.series(ctx, wantedSeries, holder)
	return kept, wanted, err
}

// series returns the names that a question finds.
func (s *Store) series(ctx context.Context, sql string, argument any) (names []string, err error) {
	err = s.pool.Read(ctx, func() error {
		rows, err := s.pool.Query(ctx, sql, argument)
		if err != nil {
			return err
		}
		names, err = pgx.CollectRows(rows, pgx.RowTo[string])
		return err
	})
	if err != nil {
		return nil, s.pool.Explain("reading the series of", err)
	}
	return names, nil
}

// ReturnLeases implements audit.Leases.
func (s *Store) ReturnLeases(ctx context.Context, holder string, names []string) error {
	err := s.retryUncertain(func() error {
		return s.pool.TransactBatch(ctx, func(b *pgx.Batch) { b.Queue(returnSeries, holder, names) })
	})
	return s.pool.Explain("giving series back in", err)
}

// AbandonedLeases implements audit.Leases.
func (s *Store) AbandonedLeases(ctx context.Context, limit int) ([]string, error) {
	names, err := s.series(ctx, abandonedSeries, int64(limit))
	if err != nil {
		return nil, fmt.Errorf("series that were abandoned: %w", err)
	}
	return names, nil
}
