package segment

import (
	"context"
	"fmt"
	"slices"

	"github.com/fielato/fielato/internal/segment/frame"
)

// span is a range of records: first <= index < next.
type span struct{ first, next uint64 }

func (s span) contains(index uint64) bool { return index >= s.first && index < s.next }

// candidate is a block as a search sees it.
type candidate struct {
	span
	// wanted: the block has each term of the query, and its time and index may fit.
	wanted bool
	// places are the places of the records that may match, in order; nil if any may.
	places []int
	// open and late are the block's Open and Late, packed.
	open, late []byte
}

// blocks returns all blocks, newest first, and which of them are wanted.
//
// An outcome's block has the terms and the time of its intent too (tail.invert): what
// the two match together is found there.
func (r *search) blocks(ctx context.Context) ([]candidate, error) {
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
func (b *candidate) narrow(places []int) {
	switch {
	case len(places) == 0:
		b.wanted = false
	case slices.Contains(places, everywhere):
	case b.places == nil:
		slices.Sort(places) // the places of several terms
		b.places = slices.Compact(places)
	default:
		b.places = slices.DeleteFunc(b.places, func(place int) bool { return !slices.Contains(places, place) })
		b.wanted = b.wanted && len(b.places) > 0
	}
}

func (r *search) allBlocks(ctx context.Context) (blocks []candidate, err error) {
	q := r.query
	if q.From >= r.view.Indexed {
		return nil, nil // only the tail is asked for
	}
	err = r.rows.Blocks(ctx, 0, r.view.Indexed, 0, func(row BlockRow) error {
		b := candidate{span: span{row.First, row.Next}, open: row.Open, late: row.Late}
		b.wanted = (q.Since.IsZero() || q.Since.UnixMicro() <= row.Newest) &&
			(q.Until.IsZero() || q.Until.UnixMicro() >= row.Oldest) &&
			(q.Before == 0 || b.first < q.Before) && b.next > q.From
		blocks = append(blocks, b)
		return nil
	})
	slices.Reverse(blocks)
	return blocks, err
}

// addPlaces notes where each block has the term, by the block's first index.
func (r *search) addPlaces(ctx context.Context, t term, places map[uint64][]int) error {
	return r.rows.Postings(ctx, bucketOf(t), markOf(t), r.view.Indexed, func(first uint64, list []byte) error {
		if found := placesOf(list, t); found != nil {
			places[first] = append(places[first], found...)
		}
		return nil
	})
}

// answeredBy notes the intents that have their outcome in the block.
func (r *search) answeredBy(b *candidate) error {
	late, err := frame.UnpackIndexes(b.late)
	if err != nil {
		return fmt.Errorf("block %d of %s: %w", b.first, r.rows.Name(), err)
	}
	for _, intent := range late {
		r.answered[intent] = true
	}
	return nil
}
