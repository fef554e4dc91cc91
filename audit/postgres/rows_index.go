package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/fielato/fielato/internal/segment/run"
)

var _ run.Rows = rows{}

// Shape implements run.Rows.
func (r rows) Shape() run.Shape { return r.shape }

// The columns of a row. Those of a block are the same, but for its level and its parts.
const (
	runColumns   = "level, first, next, oldest, newest, open, late, parts"
	blockColumns = "0::INT8, first, next, oldest, newest, open, late, NULL::BYTEA"
)

func scanRun(found pgx.CollectableRow) (row run.Row, err error) {
	var level, first, next int64
	err = found.Scan(&level, &first, &next, &row.Oldest, &row.Newest, &row.Open, &row.Late, &row.Parts)
	row.Level, row.First, row.Next = int(level), uint64(first), uint64(next)
	return row, err
}

// Parts implements run.Rows.
func (r rows) Parts(ctx context.Context, level int, from uint64, limit int) ([]run.Row, error) {
	if level == 0 {
		return collect(ctx, r.pool, scanRun, "SELECT "+blockColumns+" FROM audit_blocks WHERE log = $1 AND first >= $2 ORDER BY first LIMIT $3",
			r.log, int64(from), atMost(limit))
	}
	return collect(ctx, r.pool, scanRun, "SELECT "+runColumns+" FROM audit_runs WHERE log = $1 AND level = $2 AND first >= $3 ORDER BY first LIMIT $4",
		r.log, int64(level), int64(from), atMost(limit))
}

// End implements run.Rows.
func (r rows) End(ctx context.Context, level int) (uint64, error) {
	ends, err := collect(ctx, r.pool, pgx.RowTo[int64],
		"SELECT next FROM audit_runs WHERE log = $1 AND level = $2 ORDER BY first DESC LIMIT 1", r.log, int64(level))
	if err != nil || len(ends) == 0 {
		return 0, err
	}
	return uint64(ends[0]), nil
}

// Cover implements run.Rows.
func (r rows) Cover(ctx context.Context, before uint64) ([]run.Row, error) {
	return collect(ctx, r.pool, scanRun, r.shape.CoverSQL("audit_", "$", blockColumns, runColumns), r.log, int64(before))
}

// The lists of some runs. The primary keys lead to each: the lists of a block stand by their buckets, those
// of a run together.
const (
	selectPostings = "SELECT first, bucket, terms FROM audit_postings WHERE log = $1 AND bucket = ANY($2) AND first = ANY($3)"
	selectLists    = "SELECT first, bucket, terms FROM audit_lists WHERE log = $1 AND level = $2 AND first = ANY($3) AND bucket >= $4 AND bucket < $5"
)

// list is one of a run.
type list struct {
	span, bucket int
	first        uint64
	terms        []byte
}

// Lists implements run.Rows. All spans take one round trip.
func (r rows) Lists(ctx context.Context, spans []run.Span, do func(span int, first uint64, bucket int, list []byte) error) error {
	var all []list
	err := r.pool.Read(ctx, func() error {
		all = nil
		batch := &pgx.Batch{}
		for i := range spans {
			r.queueLists(batch, i, &spans[i], &all)
		}
		return r.pool.SendBatch(ctx, batch).Close()
	})
	if err != nil {
		return r.pool.Explain("reading", err)
	}
	for _, l := range all {
		if err := do(l.span, l.first, l.bucket, l.terms); err != nil {
			return err
		}
	}
	return nil
}

func (r rows) queueLists(batch *pgx.Batch, number int, span *run.Span, all *[]list) {
	firsts, buckets := span.Numbers()
	var query *pgx.QueuedQuery
	if span.Level > 0 {
		query = batch.Queue(selectLists, r.log, int64(span.Level), firsts, int64(span.From), int64(span.To))
	} else {
		query = batch.Queue(selectPostings, r.log, buckets, firsts)
	}
	query.Query(func(found pgx.Rows) error {
		lists, err := pgx.CollectRows(found, func(found pgx.CollectableRow) (list, error) {
			var first, bucket int64
			l := list{span: number}
			err := found.Scan(&first, &bucket, &l.terms)
			l.first, l.bucket = uint64(first), int(bucket)
			return l, err
		})
		*all = append(*all, lists...)
		return err
	})
}

// Begun implements run.Rows.
func (r rows) Begun(ctx context.Context, level int, from uint64) (uint64, bool, error) {
	firsts, err := collect(ctx, r.pool, pgx.RowTo[int64],
		"SELECT first FROM audit_lists WHERE log = $1 AND level = $2 AND first >= $3 ORDER BY first LIMIT 1", r.log, int64(level), int64(from))
	if err != nil || len(firsts) == 0 {
		return 0, false, err
	}
	return uint64(firsts[0]), true, nil
}

// Bounds implements run.Rows.
func (r rows) Bounds(ctx context.Context, level int, first uint64) (least, last int, ok bool, err error) {
	bounds, err := collect(ctx, r.pool, func(found pgx.CollectableRow) (b [2]*int64, err error) {
		err = found.Scan(&b[0], &b[1])
		return b, err
	}, `SELECT (SELECT bucket FROM audit_lists WHERE log = $1 AND level = $2 AND first = $3 ORDER BY bucket LIMIT 1),
	(SELECT bucket FROM audit_lists WHERE log = $1 AND level = $2 AND first = $3 ORDER BY bucket DESC LIMIT 1)`,
		r.log, int64(level), int64(first))
	if err != nil || bounds[0][0] == nil || bounds[0][1] == nil {
		return 0, 0, false, err
	}
	return int(*bounds[0][0]), int(*bounds[0][1]), true, nil
}
