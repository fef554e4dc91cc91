package sqlite

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/fielato/fielato/audit"
)

// querier is a pool or one connection.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// view is a log at one moment. As records never change and never go, it stays
// true: what is read later needs no transaction.
type view struct {
	log     int64  // its number, 0 for a log that does not exist
	size    uint64 // records
	indexed uint64 // records that are in blocks; the tail follows
	last    int64  // id of the last segment, -1 if there is none
	// checkpoint is the one over these records, nil if there is none.
	checkpoint []byte
}

func (s *Store) view(ctx context.Context, log string) (view, error) {
	v, err := readView(ctx, s.readers, log)
	if err != nil {
		return view{}, explain(s.path, "reading", err)
	}
	return v, nil
}

// readView takes everything in one statement: two of them could see two moments.
func readView(ctx context.Context, from querier, log string) (view, error) {
	v := view{last: -1}
	var last, next sql.NullInt64
	var head []byte
	err := from.QueryRowContext(ctx, `
SELECT l.id, s.id, substr(s.keys, 1, 10),
  (SELECT next FROM blocks WHERE log = l.id ORDER BY first DESC LIMIT 1),
  (SELECT note FROM checkpoints WHERE log = l.id)
FROM logs l LEFT JOIN segments s ON s.id =
  (SELECT id FROM segments WHERE id BETWEEN l.id << 40 AND (l.id + 1 << 40) - 1 ORDER BY id DESC LIMIT 1)
WHERE l.name = ?`, log).Scan(&v.log, &last, &head, &next, &v.checkpoint)
	if errors.Is(err, sql.ErrNoRows) {
		return view{last: -1}, nil
	}
	if err != nil {
		return view{}, err
	}
	if last.Valid {
		count, _, ok := takeUvarint(head)
		if !ok {
			return view{}, fmt.Errorf("last segment of log %q: %w", log, errFrame)
		}
		v.size, v.last = firstOf(last.Int64)+count, last.Int64
	}
	v.indexed = uint64(next.Int64)
	return v, nil
}

func logID(ctx context.Context, from querier, log string) (id int64, known bool, err error) {
	err = from.QueryRowContext(ctx, "SELECT id FROM logs WHERE name = ?", log).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, false, nil
	}
	return id, err == nil, err
}

// loader reads records of one log. It remembers the last segment, because who
// reads one record often reads its neighbour next. It is not for concurrent use.
type loader struct {
	store *Store
	log   int64
	name  string
	from  querier

	keysOf, summaryOf cached
	contentOf         contents
}

// cached is one column of one segment, unpacked.
type cached struct {
	first uint64
	items [][]byte
}

func (c *cached) item(index uint64) []byte {
	if index < c.first || index-c.first >= uint64(len(c.items)) {
		return nil
	}
	return c.items[index-c.first]
}

const (
	selectKeys      = "SELECT id, keys FROM segments WHERE id BETWEEN ? AND ? ORDER BY id DESC LIMIT 1"
	selectSummaries = "SELECT id, summaries FROM segments WHERE id BETWEEN ? AND ? ORDER BY id DESC LIMIT 1"
)

// fetch returns the item of the record in the column that query selects, nil for
// a record that does not exist.
func (l *loader) fetch(ctx context.Context, cache *cached, query string, index uint64) ([]byte, error) {
	if item := cache.item(index); item != nil {
		return item, nil
	}
	if index > maxIndex {
		return nil, nil
	}
	var id int64
	var packed []byte
	err := l.from.QueryRowContext(ctx, query, segmentID(l.log, 0), segmentID(l.log, index)).Scan(&id, &packed)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, explain(l.store.path, "reading", err)
	}
	if query != selectKeys {
		packed, err = decompress(packed)
	}
	var items [][]byte
	if err == nil {
		items, err = unpackList(packed)
	}
	if err != nil {
		return nil, fmt.Errorf("segment %d of %s: %w", id, l.store.path, err)
	}
	*cache = cached{first: firstOf(id), items: items}
	return cache.item(index), nil
}

// keys returns the keys of a record, nil if there is none.
func (l *loader) keys(ctx context.Context, index uint64) (*keys, error) {
	item, err := l.fetch(ctx, &l.keysOf, selectKeys, index)
	if item == nil {
		return nil, err
	}
	k, err := decodeKeys(item)
	if err != nil {
		return nil, fmt.Errorf("record %d of %s: %w", index, l.store.path, err)
	}
	return &k, nil
}

// load returns a record, nil if there is none.
func (l *loader) load(ctx context.Context, index uint64) (*audit.Record, error) {
	var form audit.Form
	var err error
	if form.Summary, err = l.fetch(ctx, &l.summaryOf, selectSummaries, index); form.Summary == nil {
		return nil, err
	}
	if form.Content, form.Presence, err = l.content(ctx, index); err != nil {
		return nil, err
	}
	r, err := audit.Decode(form)
	if err != nil {
		return nil, fmt.Errorf("record %d of %s: %w", index, l.store.path, err)
	}
	r.Log, r.Index = l.name, index
	return r, nil
}

// keysBetween returns the keys of the records from <= index < to. Both are ends of
// segments.
func (l *loader) keysBetween(ctx context.Context, from, to uint64) (all []keys, err error) {
	rows, err := l.from.QueryContext(ctx, "SELECT id, keys FROM segments WHERE id >= ? AND id < ? ORDER BY id",
		segmentID(l.log, from), segmentID(l.log, to))
	if err != nil {
		return nil, explain(l.store.path, "reading", err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var id int64
		var packed sql.RawBytes
		if err := rows.Scan(&id, &packed); err != nil {
			return nil, explain(l.store.path, "reading", err)
		}
		// The keys share this memory, which the driver uses again.
		items, err := unpackList(bytes.Clone(packed))
		if err != nil || firstOf(id) != from+uint64(len(all)) {
			return nil, fmt.Errorf("segment %d of %s is damaged or follows a gap: %w", id, l.store.path, errFrame)
		}
		for _, item := range items {
			k, err := decodeKeys(item)
			if err != nil {
				return nil, fmt.Errorf("segment %d of %s: %w", id, l.store.path, err)
			}
			all = append(all, k)
		}
	}
	if err := rows.Err(); err != nil {
		return nil, explain(l.store.path, "reading", err)
	}
	if uint64(len(all)) != to-from {
		return nil, fmt.Errorf("records %d to %d of %s: %d are there: %w", from, to, l.store.path, len(all), errFrame)
	}
	return all, nil
}
