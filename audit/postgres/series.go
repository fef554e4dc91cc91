package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/postgres"
)

var _ audit.Leases = (*Store)(nil)

const (
	// keepFor is how long a returned name is kept for the first process that waits for it.
	keepFor = `INTERVAL '250 milliseconds'`
	// kept holds for a row that is kept for another process than $1. One that is kept for longer was
	// returned before the server's clock was set back.
	kept = `COALESCE(audit_series.waiting[1], $1) <> $1 AND audit_series.expires > now() AND audit_series.expires <= now() + ` + keepFor
	// without are the processes that wait once $1 has taken the name: not the first, which is $1 or did not come.
	without = `array_remove(array_remove(audit_series.waiting, audit_series.waiting[1]), $1)`
)

// Each row that is taken counts in generation, which earlier builds compare. counted is the generation
// in which the last number was written: a name is settled where the two are the same.
const (
	takeSeries = `
INSERT INTO audit_series (name, holder, held, wanted, generation, expires)
VALUES ($2, $3, TRUE, FALSE, 2, now() + $4::INT8 * INTERVAL '1 millisecond')
ON CONFLICT (name) DO UPDATE SET
	generation = audit_series.generation + 1,
	holder = excluded.holder, held = TRUE, wanted = FALSE, waiting = ` + without + `, expires = excluded.expires
WHERE CASE WHEN audit_series.held THEN audit_series.holder = excluded.holder OR audit_series.expires <= now() ELSE NOT (` + kept + `) END
RETURNING counted = generation - 1, last`
	// A lease with more left than longestRemainder was taken before the server's clock was set back: who
	// waits for it shortens it, as its holder may have died. Earlier builds look at wanted.
	wantSeries = `
UPDATE audit_series SET wanted = held, waiting = CASE WHEN $1 = ANY(waiting) THEN waiting ELSE array_append(waiting, $1) END,
	expires = LEAST(expires, now() + $3::INT8 * INTERVAL '1 millisecond')
WHERE name = $2 AND (NOT $1 = ANY(waiting) OR expires > now() + $3::INT8 * INTERVAL '1 millisecond')`
	freeSeries = `
SELECT name FROM audit_series WHERE name = ANY($2) AND CASE WHEN held THEN expires <= now() ELSE NOT (` + kept + `) END`
	// Rows are locked in the order of their names wherever a statement waits for several.
	extendSeries = `
WITH asked AS (SELECT * FROM unnest($1::TEXT[], $2::TEXT[]) AS asked(name, holder)),
mine AS (SELECT s.name FROM audit_series AS s, asked WHERE s.name = asked.name AND s.holder = asked.holder AND s.held ORDER BY s.name FOR UPDATE OF s)
UPDATE audit_series AS s SET expires = now() + $3::INT8 * INTERVAL '1 millisecond' FROM mine WHERE s.name = mine.name RETURNING s.name`
	returnSeries = `
WITH asked AS (SELECT * FROM unnest($1::TEXT[], $2::TEXT[], $3::BOOL[], $4::INT8[]) AS asked(name, holder, settled, last)),
mine AS (SELECT s.name, asked.settled, asked.last FROM audit_series AS s, asked WHERE s.name = asked.name AND s.holder = asked.holder AND s.held ORDER BY s.name FOR UPDATE OF s)
UPDATE audit_series AS s SET held = FALSE, wanted = FALSE,
	last = CASE WHEN mine.settled THEN GREATEST(s.last, mine.last) ELSE s.last END,
	counted = CASE WHEN mine.settled THEN s.generation ELSE s.counted END,
	expires = CASE WHEN array_length(s.waiting, 1) IS NULL THEN s.expires ELSE now() + ` + keepFor + ` END
FROM mine WHERE s.name = mine.name`
	// A row that another transaction has locked is not free, and is not waited for.
	claimSeries = `
WITH asked AS (SELECT * FROM unnest($2::TEXT[], $3::TEXT[], $4::INT8[]) AS asked(name, holder, after)),
free AS (SELECT audit_series.name, asked.holder, ` + without + ` AS waiting FROM audit_series, asked
	WHERE audit_series.name = asked.name AND CASE WHEN audit_series.held THEN audit_series.holder = asked.holder
		ELSE audit_series.counted = audit_series.generation AND audit_series.last = asked.after AND NOT (` + kept + `) END
	FOR UPDATE OF audit_series SKIP LOCKED)
UPDATE audit_series AS s SET
	generation = s.generation + CASE WHEN s.held THEN 0 ELSE 1 END,
	holder = free.holder, held = TRUE, wanted = s.held AND s.wanted, waiting = CASE WHEN s.held THEN s.waiting ELSE free.waiting END,
	expires = now() + $5::INT8 * INTERVAL '1 millisecond'
FROM free WHERE s.name = free.name RETURNING s.name`
	abandonedSeries = "SELECT name FROM audit_series WHERE held AND expires <= now() ORDER BY expires LIMIT $1"
)

// errHeld: a name has another holder. It ends the transaction, which has changed nothing.
var errHeld = errors.New("held by another gateway")

// TakeLease implements audit.Leases. If an error leaves open whether the lease was taken, take
// it again.
func (s *Store) TakeLease(ctx context.Context, name string, holder audit.Holder, ttl time.Duration) (lease audit.Lease, err error) {
	if err := s.mayWrite(); err != nil {
		return audit.Lease{}, err
	}
	err = s.retryUncertain(func() error {
		return s.pool.TransactBatch(ctx, func(b *pgx.Batch) {
			b.Queue(takeSeries, holder.Process, name, holder.String(), ttl.Milliseconds()).QueryRow(func(row pgx.Row) error {
				err := row.Scan(&lease.Settled, &lease.Last)
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
		return s.pool.TransactBatch(ctx, func(b *pgx.Batch) {
			b.Queue(wantSeries, holder.Process, name, longestRemainder*ttl.Milliseconds())
		})
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

// ExtendLeases implements audit.Leases.
func (s *Store) ExtendLeases(ctx context.Context, held map[string]audit.Holder, ttl time.Duration) (extended []string, err error) {
	names, holders := make([]string, 0, len(held)), make([]string, 0, len(held))
	for name, holder := range held {
		names, holders = append(names, name), append(holders, holder.String())
	}
	err = s.retryUncertain(func() error {
		return s.pool.TransactBatch(ctx, func(b *pgx.Batch) {
			b.Queue(extendSeries, names, holders, ttl.Milliseconds()).Query(func(rows pgx.Rows) (err error) {
				extended, err = pgx.CollectRows(rows, pgx.RowTo[string])
				return err
			})
		})
	})
	return extended, s.pool.Explain("extending series in", err)
}

// ReturnLeases implements audit.Leases.
func (s *Store) ReturnLeases(ctx context.Context, changes []audit.LeaseChange) error {
	err := s.retryUncertain(func() error {
		return s.pool.TransactBatch(ctx, func(b *pgx.Batch) { queueReturned(b, changes) })
	})
	return s.pool.Explain("returning series in", err)
}

// FreeLeases implements audit.Leases.
func (s *Store) FreeLeases(ctx context.Context, process string, names []string) ([]string, error) {
	return s.series(ctx, freeSeries, process, names)
}

// AbandonedLeases implements audit.Leases.
func (s *Store) AbandonedLeases(ctx context.Context, limit int) ([]string, error) {
	names, err := s.series(ctx, abandonedSeries, int64(limit))
	if err != nil {
		return nil, fmt.Errorf("series that were abandoned: %w", err)
	}
	return names, nil
}

// series returns the names that a question finds.
func (s *Store) series(ctx context.Context, sql string, arguments ...any) (names []string, err error) {
	err = s.pool.Read(ctx, func() error {
		rows, err := s.pool.Query(ctx, sql, arguments...)
		if err != nil {
			return err
		}
		names, err = pgx.CollectRows(rows, pgx.RowTo[string])
		return err
	})
	return names, s.pool.Explain("reading the series of", err)
}

// queueLeases changes the leases of a batch. Those that are returned come first: they are rows that
// nobody but this process waits to lock, and a commit that waits holds no row that another one waits for.
func queueLeases(b *pgx.Batch, batch *audit.Batch) {
	taken, returned := batch.LeaseChanges()
	queueReturned(b, returned)
	if len(taken) == 0 {
		return
	}
	names, holders, after := make([]string, len(taken)), make([]string, len(taken)), make([]int64, len(taken))
	for i := range taken {
		names[i], holders[i], after[i] = taken[i].Name, taken[i].Holder.String(), taken[i].After
	}
	b.Queue(claimSeries, taken[0].Holder.Process, names, holders, after, taken[0].TTL.Milliseconds()).Query(func(rows pgx.Rows) error {
		got, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil || len(got) == len(names) {
			return err
		}
		return &audit.LeasesTakenError{Names: slices.DeleteFunc(slices.Clone(names), func(name string) bool { return slices.Contains(got, name) })}
	})
}

func queueReturned(b *pgx.Batch, returned []audit.LeaseChange) {
	if len(returned) == 0 {
		return
	}
	names, holders := make([]string, len(returned)), make([]string, len(returned))
	settled, last := make([]bool, len(returned)), make([]int64, len(returned))
	for i, change := range returned {
		names[i], holders[i], settled[i], last[i] = change.Name, change.Holder.String(), change.Settled, change.Last
	}
	b.Queue(returnSeries, names, holders, settled, last)
}
