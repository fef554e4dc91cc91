package segment

import (
	"context"
	"fmt"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/segment/frame"
)

// Loader reads records of one log. It remembers the last segment: the next record that is read
// is often a neighbour. It is not for concurrent use.
type Loader struct {
	rows  Rows
	vault *Vault
	log   string

	// summaryOnly: records come without their content.
	summaryOnly bool

	keysOf, summaryOf cached
	contentOf         contents
}

// NewLoader returns the loader of the log whose rows these are.
func NewLoader(rows Rows, vault *Vault, log string) *Loader {
	return &Loader{rows: rows, vault: vault, log: log}
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

// damaged adds the segment to an error.
func damaged(rows Rows, first uint64, err error) error {
	return fmt.Errorf("segment at %d of %s: %w", first, rows.Name(), err)
}

// fetch returns the item of the record in the column, which is of keys or of summaries,
// nil for a record that does not exist.
func (l *Loader) fetch(ctx context.Context, cache *cached, columns Columns, index uint64) ([]byte, error) {
	if item := cache.item(index); item != nil {
		return item, nil
	}
	row, ok, err := l.rows.Segment(ctx, index, columns)
	if err != nil || !ok {
		return nil, err
	}
	packed := row.Keys
	if columns != ColumnKeys {
		packed, err = frame.Decompress(row.Summaries)
	}
	var items [][]byte
	if err == nil {
		items, err = frame.UnpackList(packed)
	}
	if err != nil {
		return nil, damaged(l.rows, row.First, err)
	}
	*cache = cached{first: row.First, items: items}
	return cache.item(index), nil
}

// keys returns the keys of a record, nil if there is none.
func (l *Loader) keys(ctx context.Context, index uint64) (*keys, error) {
	item, err := l.fetch(ctx, &l.keysOf, ColumnKeys, index)
	if item == nil {
		return nil, err
	}
	k, err := decodeKeys(item)
	if err != nil {
		return nil, fmt.Errorf("record %d of %s: %w", index, l.rows.Name(), err)
	}
	return &k, nil
}

// Get returns a record (audit.ErrNotFound).
func (l *Loader) Get(ctx context.Context, index uint64) (*audit.Record, error) {
	r, err := l.load(ctx, index)
	if err == nil && r == nil {
		err = fmt.Errorf("record %d of log %q: %w", index, l.log, audit.ErrNotFound)
	}
	return r, err
}

// load returns a record, nil if there is none.
func (l *Loader) load(ctx context.Context, index uint64) (*audit.Record, error) {
	var form audit.Form
	var err error
	if form.Summary, err = l.fetch(ctx, &l.summaryOf, ColumnSummaries, index); form.Summary == nil {
		return nil, err
	}
	if form.Presence = audit.Unread; !l.summaryOnly {
		if form.Content, form.Presence, err = l.content(ctx, index); err != nil {
			return nil, err
		}
	}
	r, err := audit.Decode(form)
	if err != nil {
		return nil, fmt.Errorf("record %d of %s: %w", index, l.rows.Name(), err)
	}
	r.Log, r.Index = l.log, index
	return r, nil
}

// content returns the content of a record that exists.
func (l *Loader) content(ctx context.Context, index uint64) ([]byte, audit.Presence, error) {
	if index < l.contentOf.first || index >= l.contentOf.end {
		row, ok, err := l.rows.Segment(ctx, index, ColumnContent)
		if err != nil {
			return nil, 0, err
		}
		if !ok {
			return nil, 0, damaged(l.rows, index, frame.ErrDamaged)
		}
		c, err := l.vault.open(ctx, l.rows, l.log, row, nil)
		count, _, ok := frame.TakeUvarint(row.Keys)
		if err == nil && (!ok || c.presence == audit.Present && count != uint64(len(c.items)) || index-c.first >= count) {
			err = frame.ErrDamaged
		}
		if err != nil {
			return nil, 0, damaged(l.rows, row.First, err)
		}
		c.end = c.first + count
		l.contentOf = c
	}
	item, presence := l.contentOf.of(int(index - l.contentOf.first))
	return item, presence, nil
}

// keysBetween returns the keys of the records from <= index < to. Both are ends of segments.
func keysBetween(ctx context.Context, rows Rows, from, to uint64) (all []keys, err error) {
	return readSpan(ctx, rows, from, to, ColumnKeys, func(*Row, int) {})
}

// readSpan is keysBetween for these columns, with the keys among them. It gives each segment to do, with the
// number of its keys.
func readSpan(ctx context.Context, rows Rows, from, to uint64, columns Columns, do func(*Row, int)) (all []keys, err error) {
	err = rows.Segments(ctx, from, to, columns, 0, func(row *Row) error {
		items, err := frame.UnpackList(row.Keys)
		if err != nil || row.First != from+uint64(len(all)) {
			return fmt.Errorf("segment at %d of %s is damaged or follows a gap: %w", row.First, rows.Name(), frame.ErrDamaged)
		}
		for _, item := range items {
			k, err := decodeKeys(item)
			if err != nil {
				return damaged(rows, row.First, err)
			}
			all = append(all, k)
		}
		do(row, len(items))
		return nil
	})
	if err != nil {
		return nil, err
	}
	if uint64(len(all)) != to-from {
		return nil, fmt.Errorf("records %d to %d of %s: %d are there: %w", from, to, rows.Name(), len(all), frame.ErrDamaged)
	}
	return all, nil
}
