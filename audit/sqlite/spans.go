package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
)

// span is a range of records: first <= index < next.
type span struct{ first, next uint64 }

// blockRow is a block as a search sees it.
type blockRow struct {
	span
	// wanted tells that the block has each term of the query, and that its time and
	// index may fit.
	wanted bool
	// places are those of the records that may match, in order; nil if that may be any.
	places []int
	// open and late are those of block, packed.
	open, late []byte
}

// blocks returns all blocks, newest first, and which of them are wanted.
//
// An outcome's block has the terms and the time of its intent too (tail.invert): what
// the two match together is found there.
func (r *search) blocks(ctx context.Context) ([]blockRow, error) {
	blocks, err := r.allBlocks(ctx)
	if err != nil {
		return nil, err
	}
	for _, one := range r.terms {
		places := map[uint64][]int{}
		for _, t := range one {
			if err := r.addPlaces(ctx, t, places); err != nil {
				return nil, err
			}
		}
		left := false
		for i := range blocks {
			b := &blocks[i]
			b.narrow(places[b.first])
			left = left || b.wanted
		}
		if !left {
			break
		}
	}
	return blocks, nil
}

// narrow leaves the records that have one more term, whose places these are.
func (b *blockRow) narrow(places []int) {
	switch {
	case len(places) == 0:
		b.wanted = false
	case slices.Contains(places, everywhere):
	case b.places == nil:
		slices.Sort(places) // those of several terms
		b.places = slices.Compact(places)
	default:
		b.places = slices.DeleteFunc(b.places, func(place int) bool { return !slices.Contains(places, place) })
		b.wanted = b.wanted && len(b.places) > 0
	}
}

func (r *search) allBlocks(ctx context.Context) (blocks []blockRow, err error) {
	rows, err := r.load.from.QueryContext(ctx,
		"SELECT first, next, oldest, newest, open, late FROM blocks WHERE log = ? AND first < ? ORDER BY first DESC",
		r.load.log, int64(r.view.indexed))
	if err != nil {
		return nil, explain(r.load.store.path, "searching", err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var first, next, oldest, newest int64
		var b blockRow
		if err := rows.Scan(&first, &next, &oldest, &newest, &b.open, &b.late); err != nil {
			return nil, explain(r.load.store.path, "searching", err)
		}
		q := r.query
		b.span = span{uint64(first), uint64(next)}
		b.wanted = (q.Since.IsZero() || q.Since.UnixMicro() <= newest) &&
			(q.Until.IsZero() || q.Until.UnixMicro() >= oldest) &&
			(q.Before == 0 || b.first < q.Before)
		blocks = append(blocks, b)
	}
	if err := rows.Err(); err != nil {
		return nil, explain(r.load.store.path, "searching", err)
	}
	return blocks, nil
}

// addPlaces notes where each block has the term, by the block's first index.
func (r *search) addPlaces(ctx context.Context, t term, places map[uint64][]int) (err error) {
	rows, err := r.load.from.QueryContext(ctx,
		"SELECT first, terms FROM postings WHERE log = ? AND bucket = ? AND first < ?",
		r.load.log, bucketOf(t), int64(r.view.indexed))
	if err != nil {
		return explain(r.load.store.path, "searching", err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var first int64
		var list sql.RawBytes
		if err := rows.Scan(&first, &list); err != nil {
			return explain(r.load.store.path, "searching", err)
		}
		if found := placesOf(list, t); found != nil {
			places[uint64(first)] = append(places[uint64(first)], found...)
		}
	}
	if err := rows.Err(); err != nil {
		return explain(r.load.store.path, "searching", err)
	}
	return nil
}

// answeredBy notes the intents that have their outcome in the block.
func (r *search) answeredBy(b *blockRow) error {
	late, err := unpackIndexes(b.late)
	if err != nil {
		return fmt.Errorf("block %d of %s: %w", b.first, r.load.store.path, err)
	}
	for _, intent := range late {
		r.answered[intent] = true
	}
	return nil
}
