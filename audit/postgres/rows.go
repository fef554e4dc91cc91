package postgres

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/postgres"
	"github.com/fielato/fielato/internal/segment"
	"github.com/fielato/fielato/internal/segment/run"
)

// querier is a pool or a transaction.
type querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}

// rows are the rows of one log, as a segment.Rows. All of a query is read before any of it is used.
// So it can be read again where the connection was lost, and no connection is taken while the
// caller uses it.
type rows struct {
	pool  *postgres.Pool
	log   string
	shape run.Shape // of the search index
}

var _ segment.Rows = rows{}

// collect returns what scan makes of each row of a query.
func collect[T any](ctx context.Context, pool *postgres.Pool, scan func(pgx.CollectableRow) (T, error), sql string, args ...any) (all []T, err error) {
	err = pool.Read(ctx, func() error {
		all, err = collectFrom(ctx, pool, scan, sql, args...)
		return err
	})
	return all, pool.Explain("reading", err)
}

// collectFrom is collect in a transaction, which cannot be read again.
func collectFrom[T any](ctx context.Context, from querier, scan func(pgx.CollectableRow) (T, error), sql string, args ...any) ([]T, error) {
	found, err := from.Query(ctx, sql, args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(found, scan)
}

// Name implements segment.Rows.
func (r rows) Name() string { return r.pool.Address() }

func scanSegment(columns segment.Columns) func(pgx.CollectableRow) (segment.Row, error) {
	return func(found pgx.CollectableRow) (row segment.Row, err error) {
		var first int64
		err = found.Scan(append([]any{&first}, row.Into(columns)...)...)
		row.First = uint64(first)
		return row, err
	}
}

// Segment implements segment.Rows.
func (r rows) Segment(ctx context.Context, index uint64, columns segment.Columns) (*segment.Row, bool, error) {
	if index > segment.MaxIndex {
		return nil, false, nil
	}
	all, err := collect(ctx, r.pool, scanSegment(columns),
		"SELECT first, "+columns.SQL()+" FROM audit_segments WHERE log = $1 AND first <= $2 ORDER BY first DESC LIMIT 1", r.log, int64(index))
	if err != nil || len(all) == 0 {
		return nil, false, err
	}
	return &all[0], true, nil
}

// Segments implements segment.Rows.
func (r rows) Segments(ctx context.Context, from, to uint64, columns segment.Columns, limit int, do func(*segment.Row) error) error {
	all, err := r.choose(ctx, "true", from, to, columns, limit)
	if err != nil {
		return err
	}
	for i := range all {
		if err := do(&all[i]); err != nil {
			return err
		}
	}
	return nil
}

// choose returns the segments of a span for which a condition holds.
func (r rows) choose(ctx context.Context, condition string, from, to uint64, columns segment.Columns, limit int) ([]segment.Row, error) {
	return collect(ctx, r.pool, scanSegment(columns),
		"SELECT first, "+columns.SQL()+" FROM audit_segments WHERE log = $1 AND first >= $2 AND first < $3 AND "+condition+" ORDER BY first LIMIT $4",
		r.log, int64(from), int64(to), atMost(limit))
}

// atMost returns a limit as SQL has it: NULL is none.
func atMost(limit int) *int64 {
	if limit == 0 {
		return nil
	}
	n := int64(limit)
	return &n
}

// DataKey implements segment.Rows.
func (r rows) DataKey(ctx context.Context, number int64) (period audit.Period, wrapped []byte, err error) {
	err = r.pool.Read(ctx, func() error {
		err := r.pool.QueryRow(ctx, "SELECT period, wrapped FROM audit_data_keys WHERE id = $1", number).Scan(&period, &wrapped)
		if errors.Is(err, pgx.ErrNoRows) {
			period, wrapped = 0, nil
			return nil
		}
		return err
	})
	return period, wrapped, r.pool.Explain("reading", err)
}

func (s *Store) rows(log string) rows { return rows{s.pool, log, s.shape} }
