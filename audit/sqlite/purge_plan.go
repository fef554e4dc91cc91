package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/fielato/fielato/audit"
)

// errNeedsKey says that a purge cannot go on without the content key.
var errNeedsKey = errors.New("content of an issuer that is held stands sealed beside content that is not held: give the encryption key, and run the purge again")

// purgeRow is a segment as a purge looks at it first.
type purgeRow struct {
	contentRow // without the content itself
	keys       []byte
	length     int64 // of content
}

// rows returns the next segments that have content.
func (r *purge) rows(ctx context.Context, from, end int64) (all []purgeRow, err error) {
	rows, err := r.store.readers.QueryContext(ctx,
		"SELECT id, purged, key, keys, length(content) FROM segments WHERE id >= ? AND id < ? AND purged <> 1 ORDER BY id LIMIT ?",
		from, end, purgeRows)
	if err != nil {
		return nil, explain(r.store.path, "reading", err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var row purgeRow
		if err := rows.Scan(&row.id, &row.purged, &row.key, &row.keys, &row.length); err != nil {
			return nil, explain(r.store.path, "reading", err)
		}
		all = append(all, row)
	}
	return all, rows.Err()
}

// change is what a purge makes of a segment.
type change struct {
	id     int64
	key    sql.NullInt64
	purged int // what it is to be; purgedNone: the segment stays as it is
	// content takes the place of what there is, where that is purgedSome.
	content []byte
	// freed is how much less the content takes, writes how much is written for it.
	freed, writes int64
	counts        map[audit.Period]audit.PurgeCount
}

// fate is what becomes of a record's content.
type fate struct {
	period         audit.Period
	goes, held     bool
	alreadyMissing bool
}

// plan decides about a segment.
func (r *purge) plan(ctx context.Context, row purgeRow) (change, error) {
	c := change{id: row.id, key: row.key}
	fates, err := r.fates(ctx, row)
	if err != nil {
		return c, err
	}
	going := 0
	for _, f := range fates {
		if f.goes {
			going++
		}
	}
	stays := going < len(fates)
	switch {
	case going == 0:
	case stays || row.purged == purgedSome:
		if err := r.lookInside(ctx, &c, row, fates, stays); err != nil {
			return c, err
		}
	default:
		c.all(row.length)
	}
	result := audit.PurgeResult{}
	for _, f := range fates {
		switch {
		case f.alreadyMissing:
		case f.goes:
			result.Count(f.period, 1, 0)
		case f.held:
			result.Count(f.period, 0, 1)
		}
	}
	c.counts = result.Periods
	return c, nil
}

// fates returns that of each record of the segment. Summaries are read only where
// somebody is held.
func (r *purge) fates(ctx context.Context, row purgeRow) ([]fate, error) {
	items, err := unpackList(row.keys)
	if err != nil {
		return nil, err
	}
	fates := make([]fate, len(items))
	for i, item := range items {
		k, err := decodeKeys(item)
		if err != nil {
			return nil, err
		}
		if k.micros >= r.cutoff {
			continue
		}
		f := fate{period: audit.PeriodOf(time.UnixMicro(k.micros))}
		if len(r.held) > 0 {
			if f.held, err = r.isHeld(ctx, firstOf(row.id)+uint64(i)); err != nil {
				return nil, err
			}
		}
		f.goes = !f.held
		fates[i] = f
	}
	return fates, nil
}

func (r *purge) isHeld(ctx context.Context, index uint64) (bool, error) {
	record, err := r.summary(ctx, index)
	if err != nil {
		return false, err
	}
	var intent *audit.Record
	if record.Kind == audit.KindOutcome {
		if intent, err = r.summary(ctx, record.Intent); err != nil {
			return false, err
		}
	}
	return r.held.Keep(record, intent), nil
}

// summary reads a record without its content.
func (r *purge) summary(ctx context.Context, index uint64) (*audit.Record, error) {
	text, err := r.load.fetch(ctx, &r.load.summaryOf, selectSummaries, index)
	if err == nil && text == nil {
		err = audit.ErrNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("record %d: %w", index, err)
	}
	record, err := audit.Decode(audit.Form{Summary: text, Presence: audit.Purged})
	if err != nil {
		return nil, fmt.Errorf("record %d: %w", index, err)
	}
	return record, nil
}

// all makes c take all content away.
func (c *change) all(length int64) { c.purged, c.freed, c.writes = purgedAll, length, length }

// lookInside decides where the content has to be read: because some of it stays, or
// because some of it is gone already.
func (r *purge) lookInside(ctx context.Context, c *change, row purgeRow, fates []fate, stays bool) error {
	err := r.store.readers.QueryRowContext(ctx, "SELECT content FROM segments WHERE id = ?", c.id).Scan(&row.content)
	if err != nil {
		return explain(r.store.path, "reading", err)
	}
	opened, err := r.store.vault.open(ctx, r.store.readers, r.request.Log, row.contentRow)
	switch {
	case err != nil:
		return err
	case opened.presence == audit.Sealed && stays:
		return errNeedsKey
	case opened.presence != audit.Present:
		c.all(row.length)
		return nil
	case len(opened.items) != len(fates):
		return errFrame
	}
	some, left := false, false
	for i := range fates {
		here := len(opened.items[i]) > 0
		fates[i].alreadyMissing = !here
		if fates[i].goes {
			some, opened.items[i] = some || here, nil
		} else {
			left = left || here
		}
	}
	switch {
	case !left:
		c.all(row.length)
	case some:
		if c.content, err = r.repack(ctx, row, opened.items); err != nil {
			return err
		}
		c.purged, c.freed, c.writes = purgedSome, row.length-int64(len(c.content)), row.length
	}
	return nil
}

// repack returns the content of what stays, sealed where it was.
func (r *purge) repack(ctx context.Context, row purgeRow, items [][]byte) ([]byte, error) {
	frame := compress(packList(nil, items))
	if !row.key.Valid {
		return frame, nil
	}
	key, err := r.store.vault.key(ctx, r.store.readers, r.request.Log, row.key.Int64)
	if err != nil {
		return nil, err
	}
	return key.Seal(nil, frame, firstOf(row.id))
}
