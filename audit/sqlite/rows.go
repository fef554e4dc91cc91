package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/audit/sqlite/internal/file"
	"github.com/fielato/fielato/internal/segment"
)

// querier is a pool or one connection.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

const (
	// indexBits are the bits of a record's index in a segment's id.
	indexBits = 40
	maxIndex  = segment.MaxIndex
	maxLog    = math.MaxInt64 >> indexBits
)

// A segment's id is the log and the index of its first record in one number, so
// that a table of plain row ids keeps each log in order and every row of one log
// is appended at the end.
func segmentID(log int64, first uint64) int64 { return log<<indexBits | int64(min(first, maxIndex)) }

func firstOf(id int64) uint64 { return uint64(id) & maxIndex }

// rows are the rows of one log, as a segment.Rows.
type rows struct {
	path string
	log  int64
	from querier
	// index says how the search index is kept.
	index index
	// prepared are statements on from, nil if there are none.
	prepared *prepared
}

var _ segment.Rows = rows{}

// into returns where the id and the columns of a segment go. Blobs go there uncopied.
func into(id *int64, row *segment.Row, columns segment.Columns) []any {
	all := append([]any{id}, row.Into(columns)...)
	for i, at := range all {
		if bytes, ok := at.(*[]byte); ok {
			all[i] = (*blob)(bytes)
		}
	}
	return all
}

// blob takes a BLOB as the driver gives it. Package database/sql would copy it once more, although the
// driver makes each in memory of its own (TestRowsKeepTheirBytes).
type blob []byte

// Scan implements sql.Scanner.
func (b *blob) Scan(value any) error {
	if bytes, ok := value.([]byte); ok {
		*b = bytes
		return nil
	}
	var other sql.Null[[]byte] // of a damaged row
	err := other.Scan(value)
	*b = other.V
	return err
}

// Name implements segment.Rows.
func (r rows) Name() string { return r.path }

// Segment implements segment.Rows.
func (r rows) Segment(ctx context.Context, index uint64, columns segment.Columns) (*segment.Row, bool, error) {
	if index > maxIndex {
		return nil, false, nil
	}
	var id int64
	row := &segment.Row{}
	from, to := segmentID(r.log, 0), segmentID(r.log, index)
	var found *sql.Row
	if r.prepared != nil {
		found = r.prepared.segment[columns].QueryRowContext(ctx, from, to)
	} else {
		found = r.from.QueryRowContext(ctx, segmentQuery(columns), from, to)
	}
	err := found.Scan(into(&id, row, columns)...)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, file.Explain(r.path, "reading", err)
	}
	row.First = firstOf(id)
	return row, true, nil
}

func segmentQuery(columns segment.Columns) string {
	return "SELECT id, " + columns.SQL() + " FROM segments WHERE id BETWEEN ? AND ? ORDER BY id DESC LIMIT 1"
}

// Segments implements segment.Rows.
func (r rows) Segments(ctx context.Context, from, to uint64, columns segment.Columns, limit int, do func(*segment.Row) error) error {
	return r.choose(ctx, "id >= ? AND id < ?", from, to, columns, limit, do)
}

func (r rows) choose(ctx context.Context, where string, from, to uint64, columns segment.Columns, limit int, do func(*segment.Row) error) error {
	if limit == 0 {
		limit = -1
	}
	var id int64
	var row segment.Row
	all := into(&id, &row, columns)
	return r.each(ctx, func(found *sql.Rows) error {
		row = segment.Row{}
		if err := found.Scan(all...); err != nil {
			return file.Explain(r.path, "reading", err)
		}
		row.First = firstOf(id)
		return do(&row)
	}, "SELECT id, "+columns.SQL()+" FROM segments WHERE "+where+" ORDER BY id LIMIT ?",
		segmentID(r.log, from), segmentID(r.log, to), limit)
}

// DataKey implements segment.Rows.
func (r rows) DataKey(ctx context.Context, number int64) (period audit.Period, wrapped []byte, err error) {
	err = r.from.QueryRowContext(ctx, "SELECT period, wrapped FROM data_keys WHERE id = ?", number).Scan(&period, &wrapped)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, nil, nil
	}
	if err != nil {
		return 0, nil, file.Explain(r.path, "reading", err)
	}
	return period, wrapped, nil
}

// each calls do for each row of a query, and returns its error as it is.
func (r rows) each(ctx context.Context, do func(*sql.Rows) error, query string, args ...any) (err error) {
	return eachOf(ctx, r.path, do, func() (*sql.Rows, error) { return r.from.QueryContext(ctx, query, args...) })
}

func eachOf(ctx context.Context, path string, do func(*sql.Rows) error, query func() (*sql.Rows, error)) (err error) {
	found, err := query()
	if err != nil {
		return file.Explain(path, "reading", err)
	}
	defer func() { err = errors.Join(err, found.Close()) }()
	for found.Next() {
		if err := do(found); err != nil {
			return err
		}
	}
	if err := found.Err(); err != nil {
		return file.Explain(path, "reading", err)
	}
	return nil
}

// view is a log at one moment, and its number, 0 for a log that does not exist.
type view struct {
	log int64
	segment.View
}

func (s *Store) view(ctx context.Context, log string) (view, error) {
	v, err := scanView(s.prepared.view.QueryRowContext(ctx, log), log)
	if err != nil {
		return view{}, file.Explain(s.path, "reading", err)
	}
	return v, nil
}

// rows returns the rows of the log as readers see them.
func (s *Store) rows(log int64) rows { return rows{s.path, log, s.readers, s.index, s.prepared} }

// selectView takes everything in one statement: two of them could see two moments.
const selectView = `
SELECT l.id, s.id & 0xffffffffff, substr(s.keys, 1, 10),
  (SELECT next FROM blocks WHERE log = l.id ORDER BY first DESC LIMIT 1),
  (SELECT note FROM checkpoints WHERE log = l.id)
FROM logs l LEFT JOIN segments s ON s.id =
  (SELECT id FROM segments WHERE id BETWEEN l.id << 40 AND (l.id + 1 << 40) - 1 ORDER BY id DESC LIMIT 1)
WHERE l.name = ?`

func readView(ctx context.Context, from querier, log string) (view, error) {
	return scanView(from.QueryRowContext(ctx, selectView, log), log)
}

func scanView(row *sql.Row, log string) (v view, err error) {
	var last, next *int64
	var head, checkpoint []byte
	err = row.Scan(&v.log, &last, &head, &next, &checkpoint)
	if errors.Is(err, sql.ErrNoRows) {
		return view{}, nil
	}
	if err != nil {
		return view{}, err
	}
	if v.View, err = segment.NewView(last, head, next, checkpoint); err != nil {
		return view{}, fmt.Errorf("last segment of log %q: %w", log, err)
	}
	return v, nil
}

func logID(ctx context.Context, from querier, log string) (id int64, known bool, err error) {
	err = from.QueryRowContext(ctx, "SELECT id FROM logs WHERE name = ?", log).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, false, nil
	}
	return id, err == nil, err
}
