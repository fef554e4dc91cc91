package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/fielato/fielato/audit"
)

// What the column purged says of a segment's content.
const (
	purgedNone = iota
	purgedAll
	purgedSome
)

// contentRow is what a segment's row says of its contents.
type contentRow struct {
	id     int64
	purged int // purgedAll or another one of these
	// key is the number of the data key that content is sealed with.
	key     sql.NullInt64
	content []byte
}

// contents are those of the records of a segment.
type contents struct {
	first uint64
	// presence is that of all of them if it is not Present.
	presence audit.Presence
	// items has one of each record, empty where it is purged: no content is empty.
	items [][]byte
	// end is the index after the last record, where that is known.
	end uint64
}

// of returns the i-th of them.
func (c *contents) of(i int) ([]byte, audit.Presence) {
	switch {
	case c.presence != audit.Present:
		return nil, c.presence
	case len(c.items[i]) == 0:
		return nil, audit.Purged
	}
	return c.items[i], audit.Present
}

// vault opens contents. It is safe for concurrent use.
type vault struct {
	master *audit.ContentKey // nil: what is sealed stays so

	mu sync.Mutex // guards keys
	// keys are data keys by their numbers. What a number stands for never changes.
	keys map[int64]*audit.DataKey
}

// open returns the contents of a segment.
func (v *vault) open(ctx context.Context, from querier, log string, row contentRow) (contents, error) {
	c := contents{first: firstOf(row.id)}
	if row.purged < purgedNone || row.purged > purgedSome || row.purged == purgedAll && (row.key.Valid || len(row.content) > 0) {
		return c, fmt.Errorf("%w: what is said to be purged is there", errFrame)
	}
	if row.purged == purgedAll {
		c.presence = audit.Purged
		return c, nil
	}
	frame := row.content
	if row.key.Valid {
		if v.master == nil {
			c.presence = audit.Sealed
			return c, nil
		}
		key, err := v.key(ctx, from, log, row.key.Int64)
		if err != nil {
			return contents{}, err
		}
		if key == nil {
			c.presence = audit.Purged
			return c, nil
		}
		if frame, err = key.Open(frame, c.first); err != nil {
			return contents{}, err
		}
	}
	items, err := unpackFrame(frame)
	if err != nil {
		return c, err
	}
	if gone := slices.ContainsFunc(items, func(item []byte) bool { return len(item) == 0 }); gone != (row.purged == purgedSome) {
		return c, fmt.Errorf("%w: what is purged is not what is said to be", errFrame)
	}
	c.items = items
	return c, nil
}

// key returns the data key with this number, nil for one that was destroyed: what it
// has sealed is purged, also in the hands of who read the row before.
func (v *vault) key(ctx context.Context, from querier, log string, number int64) (*audit.DataKey, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if key, ok := v.keys[number]; ok {
		return key, nil
	}
	var period audit.Period
	var wrapped []byte
	err := from.QueryRowContext(ctx, "SELECT period, wrapped FROM data_keys WHERE id = ?", number).Scan(&period, &wrapped)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading a data key: %w", err)
	}
	key, err := v.master.OpenDataKey(wrapped, log, period)
	if err != nil {
		return nil, err
	}
	v.keys[number] = key
	return key, nil
}

// content returns the content of a record that exists.
func (l *loader) content(ctx context.Context, index uint64) ([]byte, audit.Presence, error) {
	if index < l.contentOf.first || index >= l.contentOf.end {
		var row contentRow
		var head []byte
		err := l.from.QueryRowContext(ctx,
			"SELECT id, purged, key, substr(keys, 1, 10), content FROM segments WHERE id BETWEEN ? AND ? ORDER BY id DESC LIMIT 1",
			segmentID(l.log, 0), segmentID(l.log, index)).Scan(&row.id, &row.purged, &row.key, &head, &row.content)
		if err != nil {
			return nil, 0, explain(l.store.path, "reading", err)
		}
		c, err := l.store.vault.open(ctx, l.from, l.name, row)
		count, _, ok := takeUvarint(head)
		if err == nil && (!ok || c.presence == audit.Present && count != uint64(len(c.items)) || index-c.first >= count) {
			err = errFrame
		}
		if err != nil {
			return nil, 0, fmt.Errorf("segment %d of %s: %w", row.id, l.store.path, err)
		}
		c.end = c.first + count
		l.contentOf = c
	}
	item, presence := l.contentOf.of(int(index - l.contentOf.first))
	return item, presence, nil
}
