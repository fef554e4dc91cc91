package sqlite

import (
	"context"
	"database/sql"
	"strconv"

	"github.com/fielato/fielato/audit/sqlite/internal/file"
	"github.com/fielato/fielato/internal/segment/run"
)

// index says how a store keeps the search index.
type index struct {
	shape run.Shape
	// runs: there are tables of runs. A file of an earlier build that no gateway has opened since has
	// none, and its blocks are all that a search needs.
	runs bool
}

var _ run.Rows = rows{}

// Shape implements run.Rows.
func (r rows) Shape() run.Shape { return r.index.shape }

// The columns of a row. Those of a block are the same, but for its level and its parts.
const (
	runColumns   = "level, first, next, oldest, newest, open, late, parts"
	blockColumns = "0, first, next, oldest, newest, open, late, NULL"
)

func (r rows) runRows(ctx context.Context, query string, args ...any) (all []run.Row, err error) {
	err = r.each(ctx, func(found *sql.Rows) error {
		row, err := r.scanRun(found)
		all = append(all, row)
		return err
	}, query, args...)
	return all, err
}

func (r rows) scanRun(found *sql.Rows) (row run.Row, err error) {
	var first, next int64
	if err := found.Scan(&row.Level, &first, &next, &row.Oldest, &row.Newest, &row.Open, &row.Late, &row.Parts); err != nil {
		return row, file.Explain(r.path, "reading", err)
	}
	row.First, row.Next = uint64(first), uint64(next)
	return row, nil
}

// Parts implements run.Rows.
func (r rows) Parts(ctx context.Context, level int, from uint64, limit int) ([]run.Row, error) {
	if limit == 0 {
		limit = -1
	}
	switch {
	case level == 0:
		return r.runRows(ctx, "SELECT "+blockColumns+" FROM blocks WHERE log = ? AND first >= ? ORDER BY first LIMIT ?", r.log, int64(from), limit)
	case !r.index.runs:
		return nil, nil
	}
	return r.runRows(ctx, "SELECT "+runColumns+" FROM runs WHERE log = ? AND level = ? AND first >= ? ORDER BY first LIMIT ?",
		r.log, level, int64(from), limit)
}

// End implements run.Rows.
func (r rows) End(ctx context.Context, level int) (uint64, error) {
	if !r.index.runs {
		return 0, nil
	}
	ends, err := r.numbers(ctx, "SELECT next FROM runs WHERE log = ? AND level = ? ORDER BY first DESC LIMIT 1", r.log, level)
	if err != nil || len(ends) == 0 {
		return 0, err
	}
	return uint64(ends[0]), nil
}

// Cover implements run.Rows.
func (r rows) Cover(ctx context.Context, before uint64) (all []run.Row, err error) {
	if r.prepared != nil {
		err = eachOf(ctx, r.path, func(found *sql.Rows) error {
			row, err := r.scanRun(found)
			all = append(all, row)
			return err
		}, func() (*sql.Rows, error) { return r.prepared.cover.QueryContext(ctx, r.log, int64(before)) })
		return all, err
	}
	return r.runRows(ctx, coverQuery(r.index), r.log, int64(before))
}

func coverQuery(i index) string {
	if i.runs {
		return i.shape.CoverSQL("", "?", blockColumns, runColumns)
	}
	return "SELECT " + blockColumns + " FROM blocks WHERE log = ? AND first < ? ORDER BY first"
}

// Lists implements run.Rows. Each list is found by the primary key: the lists of a block stand by their
// buckets, as a search read one of each block once, and the lists of a run together, as they are written.
func (r rows) Lists(ctx context.Context, spans []run.Span, do func(span int, first uint64, bucket int, list []byte) error) error {
	for i, span := range spans {
		if len(span.Firsts) == 0 || span.Level > 0 && !r.index.runs {
			continue
		}
		err := r.lists(ctx, &span, func(found *sql.Rows) error {
			var first int64
			var bucket int
			var list sql.RawBytes
			if err := found.Scan(&first, &bucket, &list); err != nil {
				return file.Explain(r.path, "searching", err)
			}
			return do(i, uint64(first), bucket, list)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (r rows) lists(ctx context.Context, span *run.Span, do func(*sql.Rows) error) error {
	firsts, buckets := span.Numbers()
	switch {
	case r.prepared != nil && len(buckets) == 1:
		return r.prepared.lists(ctx, r, span.Level, buckets[0], firsts, do)
	case span.Level == 0:
		return r.each(ctx, do, "SELECT first, bucket, terms FROM postings WHERE log = ? AND bucket IN "+in(buckets)+" AND first IN "+in(firsts), r.log)
	}
	return r.each(ctx, do, "SELECT first, bucket, terms FROM lists WHERE log = ? AND level = ? AND first IN "+in(firsts)+" AND bucket >= ? AND bucket < ?",
		r.log, span.Level, span.From, span.To)
}

// in returns numbers as SQL has a list of them.
func in(numbers []int64) string {
	list := []byte{'('}
	for _, n := range numbers {
		list = append(strconv.AppendInt(list, n, 10), ',')
	}
	list[len(list)-1] = ')'
	return string(list)
}

// Begun implements run.Rows.
func (r rows) Begun(ctx context.Context, level int, from uint64) (uint64, bool, error) {
	if !r.index.runs {
		return 0, false, nil
	}
	firsts, err := r.numbers(ctx, "SELECT first FROM lists WHERE log = ? AND level = ? AND first >= ? ORDER BY first LIMIT 1", r.log, level, int64(from))
	if err != nil || len(firsts) == 0 {
		return 0, false, err
	}
	return uint64(firsts[0]), true, nil
}

// Bounds implements run.Rows.
func (r rows) Bounds(ctx context.Context, level int, first uint64) (least, last int, ok bool, err error) {
	if !r.index.runs {
		return 0, 0, false, nil
	}
	for _, bound := range []struct {
		order string
		into  *int
	}{{"", &least}, {" DESC", &last}} {
		bounds, err := r.numbers(ctx, "SELECT bucket FROM lists WHERE log = ? AND level = ? AND first = ? ORDER BY bucket"+bound.order+" LIMIT 1",
			r.log, level, int64(first))
		if err != nil || len(bounds) == 0 {
			return 0, 0, false, err
		}
		*bound.into = int(bounds[0])
	}
	return least, last, true, nil
}

// numbers returns the one column of a query.
func (r rows) numbers(ctx context.Context, query string, args ...any) (all []int64, err error) {
	err = r.each(ctx, func(found *sql.Rows) error {
		var n int64
		if err := found.Scan(&n); err != nil {
			return file.Explain(r.path, "reading", err)
		}
		all = append(all, n)
		return nil
	}, query, args...)
	return all, err
}
