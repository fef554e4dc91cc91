package postgres

import (
	"context"
	"errors"
	"fmt"
	"maps"
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
	// A row that is to be taken is free, settled and at the number before, or is held by the turn that asks.
	changeSeries = `
WITH asked AS (SELECT * FROM unnest($2::TEXT[], $3::TEXT[], $4::BOOL[], $5::INT8[], $6::BOOL[]) AS asked(name, holder, take, number, settled)),
mine AS (SELECT audit_series.name, asked.holder, asked.take, asked.number, asked.settled FROM audit_series, asked
	WHERE audit_series.name = asked.name AND CASE WHEN audit_series.held THEN audit_series.holder = asked.holder
		ELSE asked.take AND audit_series.counted = audit_series.generation AND audit_series.last = asked.number AND NOT (` + kept + `) END
	ORDER BY audit_series.name FOR UPDATE OF audit_series)
UPDATE audit_series SET
	generation = generation + CASE WHEN held THEN 0 ELSE 1 END, holder = mine.holder, held = mine.take, wanted = mine.take AND held AND wanted,
	waiting = CASE WHEN held THEN waiting ELSE ` + without + ` END,
	last = CASE WHEN mine.take OR NOT mine.settled THEN last ELSE GREATEST(last, mine.number) END,
	counted = CASE WHEN mine.take OR NOT mine.settled THEN counted ELSE generation END,
	expires = CASE WHEN mine.take THEN now() + $7::INT8 * INTERVAL '1 millisecond' WHEN array_length(waiting, 1) IS NULL THEN expires ELSE now() + ` + keepFor + ` END
FROM mine WHERE audit_series.name = mine.name RETURNING audit_series.name, held`
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
		return s.pool.TransactBatch(ctx, func(b *pgx.Batch) { queueChanges(b, changes) })
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

// queueLeases changes the leases of a batch.
func queueLeases(b *pgx.Batch, batch *audit.Batch) {
	var changes []audit.LeaseChange
	for i := range batch.Entries {
		if change := batch.Entries[i].Lease; change != nil {
			changes = append(changes, *change)
		}
	}
	queueChanges(b, changes)
}

func queueChanges(b *pgx.Batch, changes []audit.LeaseChange) {
	if len(changes) == 0 {
		return
	}
	names, holders, numbers := make([]string, len(changes)), make([]string, len(changes)), make([]int64, len(changes))
	takes, settled := make([]bool, len(changes)), make([]bool, len(changes))
	wanted, ttl := map[string]bool{}, time.Duration(0)
	for i, change := range changes {
		names[i], holders[i], takes[i], numbers[i], settled[i] = change.Name, change.Holder.String(), change.Take, change.Last, change.Settled
		if change.Take {
			numbers[i], wanted[change.Name], ttl = change.After, true, change.TTL
		}
	}
	b.Queue(changeSeries, changes[0].Holder.Process, names, holders, takes, numbers, settled, ttl.Milliseconds()).Query(func(rows pgx.Rows) error {
		var name string
		var held bool
		_, err := pgx.ForEachRow(rows, []any{&name, &held}, func() error {
			if held {
				delete(wanted, name)
			}
			return nil
		})
		if err != nil || len(wanted) == 0 {
			return err
		}
		return &audit.LeasesTakenError{Names: slices.Sorted(maps.Keys(wanted))}
	})
}
