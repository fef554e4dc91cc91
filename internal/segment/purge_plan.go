package segment

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/segment/frame"
)

// errNeedsKey: the purge cannot continue without the content key.
var errNeedsKey = errors.New("content of a held issuer is sealed together with content that is not held: give the encryption key, and run the purge again")

// change is what a purge makes of a segment.
type change struct {
	first  uint64
	key    *int64
	purged int // the new value; PurgedNone: the segment stays as it is
	// content takes the place of what there is, where that is PurgedSome.
	content []byte
	// freed is how much less the content takes, writes how much is written for it.
	freed, writes int64
	counts        map[audit.Period]audit.PurgeCount
	// took is the range of the records that lose their content.
	took audit.IndexRange
}

// row is the segment as the change makes it.
func (c *change) row() *Row {
	if c.purged == PurgedAll {
		return &Row{First: c.first, Purged: PurgedAll, Content: []byte{}}
	}
	return &Row{First: c.first, Purged: c.purged, Key: c.key, Content: c.content}
}

// disposition is what becomes of a record's content.
type disposition struct {
	period         audit.Period
	goes, held     bool
	alreadyMissing bool
}

// plan decides about a segment.
func (r *purge) plan(ctx context.Context, row *Row) (change, error) {
	c := change{first: row.First, key: row.Key}
	fates, err := r.dispositions(ctx, row)
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
	case stays || row.Purged == PurgedSome:
		if err := r.planContent(ctx, &c, row, fates, stays); err != nil {
			return c, err
		}
	default:
		c.all(row.Length)
	}
	result := audit.PurgeResult{}
	for i, f := range fates {
		switch {
		case f.alreadyMissing:
		case f.goes:
			c.took.Add(row.First + uint64(i))
			result.Count(f.period, 1, 0)
		case f.held:
			result.Count(f.period, 0, 1)
		}
	}
	c.counts = result.Periods
	return c, nil
}

// dispositions returns the disposition of each record of the segment. Summaries are read only where an issuer
// is held.
func (r *purge) dispositions(ctx context.Context, row *Row) ([]disposition, error) {
	items, err := frame.UnpackList(row.Keys)
	if err != nil {
		return nil, err
	}
	fates := make([]disposition, len(items))
	for i, item := range items {
		k, err := decodeKeys(item)
		if err != nil {
			return nil, err
		}
		if k.micros >= r.cutoff || !r.request.Records.Holds(row.First+uint64(i)) {
			continue
		}
		f := disposition{period: audit.PeriodOf(time.UnixMicro(k.micros))}
		if len(r.held) > 0 {
			if f.held, err = r.isHeld(ctx, row.First+uint64(i)); err != nil {
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
	text, err := r.load.fetch(ctx, &r.load.summaryOf, ColumnSummaries, index)
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
func (c *change) all(length int64) { c.purged, c.freed, c.writes = PurgedAll, length, length }

// planContent decides where the content has to be read: because some of it stays, or
// because some of it is gone already.
func (r *purge) planContent(ctx context.Context, c *change, row *Row, fates []disposition, stays bool) error {
	whole, ok, err := r.store.Segment(ctx, c.first, ColumnContent)
	if err != nil {
		return err
	}
	if !ok || whole.First != c.first {
		return frame.ErrDamaged
	}
	opened, err := r.vault.open(ctx, r.store, r.request.Log, whole, nil)
	switch {
	case err != nil:
		return err
	case opened.presence == audit.Sealed && stays:
		return errNeedsKey
	case opened.presence != audit.Present:
		c.all(row.Length)
		return nil
	case len(opened.items) != len(fates):
		return frame.ErrDamaged
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
		c.all(row.Length)
	case some:
		if c.content, err = r.repack(ctx, row, opened.items); err != nil {
			return err
		}
		c.purged, c.freed, c.writes = PurgedSome, row.Length-int64(len(c.content)), row.Length
	}
	return nil
}

// repack returns the content of what stays, sealed where it was.
func (r *purge) repack(ctx context.Context, row *Row, items [][]byte) ([]byte, error) {
	frame := frame.Compress(frame.PackList(nil, items))
	if row.Key == nil {
		return frame, nil
	}
	key, err := r.vault.key(ctx, r.store, r.request.Log, *row.Key)
	if err != nil {
		return nil, err
	}
	return key.Seal(nil, frame, row.First)
}
