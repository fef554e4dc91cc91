package segment

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/segment/frame"
)

// search is one run of Search.
type search struct {
	query *audit.Query
	terms []alternatives
	rows  Rows
	load  *Loader
	view  View
	tails *Tails
	// answered has the intents whose outcomes were passed and that were not
	// reached yet: they are not to be found themselves. Going from the newest to
	// the oldest, each outcome comes before its intent; so the set stays as small
	// as the number of exchanges under way at a time.
	answered map[uint64]bool
	// ahead reads the spans that are scanned, nil if the query asks for content.
	ahead *ahead
	found int
	yield func(*audit.Record, error) bool
}

// Search yields the records of the view that match, newest first (audit.Store). Nothing
// of the store is held open while the consumer works.
func Search(ctx context.Context, rows Rows, vault *Vault, tails *Tails, view View, query *audit.Query, yield func(*audit.Record, error) bool) {
	run := &search{
		query: query, terms: termsOfQuery(query), view: view, tails: tails, rows: rows,
		load: NewLoader(rows, vault, query.Log), answered: map[uint64]bool{}, yield: yield,
	}
	// The codes that an answer has are content.
	run.load.summaryOnly = query.SummaryOnly && query.Finding == ""
	if err := run.run(ctx); err != nil {
		yield(nil, err)
	}
}

// run searches the tail, and then the blocks that may have a match. Of the other blocks it only
// reads which intents they answer.
func (r *search) run(ctx context.Context) error {
	blocks, err := r.blocks(ctx)
	if err != nil {
		return err
	}
	if r.load.summaryOnly {
		r.ahead = r.readAhead(ctx, blocks)
		defer r.ahead.stop()
	}
	more, err := r.scan(ctx, span{r.view.Indexed, r.view.Size}, func() ([]keys, error) {
		return r.tails.keys(ctx, r.rows, r.query.Log, r.view)
	})
	if err != nil || !more {
		return err
	}
	for i := range blocks {
		b := &blocks[i]
		switch {
		case b.next <= r.query.From:
			return nil // and so are the others
		case !b.wanted:
		case r.picks(b):
			more, err = r.pick(ctx, b)
		default:
			more, err = r.scan(ctx, b.span, func() ([]keys, error) { return keysBetween(ctx, r.rows, b.first, b.next) })
		}
		if err != nil || !more {
			return err
		}
		if err := r.answeredBy(b); err != nil {
			return err
		}
		maps.DeleteFunc(r.answered, func(intent uint64, _ bool) bool { return intent >= b.first })
	}
	return nil
}

// picks reports whether the query is narrowed to some records of the block.
func (r *search) picks(b *candidate) bool { return r.query.Kind == audit.KindIntent || b.places != nil }

// scan yields the matching records of a span and reports whether to continue. read reads the keys of the
// span, if they were not read ahead.
func (r *search) scan(ctx context.Context, in span, read func() ([]keys, error)) (bool, error) {
	if r.ahead != nil {
		read = r.ahead.next
	}
	all, err := read()
	if err != nil {
		return false, err
	}
	for i, k := range slices.Backward(all) {
		index := in.first + uint64(i)
		switch {
		case k.isOutcome():
			r.answered[k.intent] = true
		case r.answered[index]:
			continue
		}
		if !r.inRange(index) || !r.query.Asks(k.kind) {
			continue // looked at for what it answers only
		}
		intent, err := r.intentOf(ctx, &k, in, all)
		if err != nil {
			return false, err
		}
		more, err := r.offer(ctx, index, &k, intent)
		if err != nil || !more {
			return false, err
		}
	}
	return true, nil
}

// pick is scan for the records of a block that the query narrows it to: those at its
// places, or its open intents.
func (r *search) pick(ctx context.Context, b *candidate) (bool, error) {
	open, err := frame.UnpackIndexes(b.open)
	if err != nil {
		return false, fmt.Errorf("block %d of %s: %w", b.first, r.rows.Name(), err)
	}
	indexes := open
	if b.places != nil {
		indexes = make([]uint64, len(b.places))
		for i, place := range b.places {
			indexes[i] = b.first + uint64(place)
		}
	}
	for _, index := range slices.Backward(indexes) {
		if !r.inRange(index) {
			continue
		}
		k, err := r.load.keys(ctx, index)
		if err != nil {
			return false, err
		}
		if k == nil {
			return false, fmt.Errorf("block %d of %s: there is no record %d: %w", b.first, r.rows.Name(), index, frame.ErrDamaged)
		}
		if _, isOpen := slices.BinarySearch(open, index); !r.query.Asks(k.kind) || k.isIntent() && (!isOpen || r.answered[index]) {
			continue
		}
		intent, err := r.intentOf(ctx, k, span{}, nil)
		if err != nil {
			return false, err
		}
		more, err := r.offer(ctx, index, k, intent)
		if err != nil || !more {
			return false, err
		}
	}
	return true, nil
}

// inRange reports whether the query asks for records with this index.
func (r *search) inRange(index uint64) bool {
	return (r.query.Before == 0 || index < r.query.Before) && index >= r.query.From
}

// offer yields the record if it matches the query, and reports whether to continue. ofIntent
// is nil if the record has no intent.
func (r *search) offer(ctx context.Context, index uint64, k, ofIntent *keys) (bool, error) {
	if !r.fits(k, ofIntent) {
		return true, nil
	}
	record, err := r.record(ctx, index)
	if err != nil || record == nil {
		return err == nil, err
	}
	var intent *audit.Record
	if ofIntent != nil && !r.query.Matches(record, nil) {
		if intent, err = r.load.load(ctx, k.intent); err != nil {
			return false, err
		}
	}
	if !r.query.Matches(record, intent) {
		return true, nil
	}
	r.found++
	return r.yield(record, nil) && r.found != r.query.Limit, nil
}

// fits reports whether the record may match by its keys and its intent's.
func (r *search) fits(k, ofIntent *keys) bool {
	since, until := r.query.Since, r.query.Until
	return k.has(r.terms, ofIntent) &&
		(k.during(since, until) || ofIntent != nil && ofIntent.during(since, until))
}

// record returns a record, nil if there is none.
func (r *search) record(ctx context.Context, index uint64) (*audit.Record, error) {
	if r.ahead != nil && r.ahead.current.contains(index) {
		if at := &r.ahead.current.records[index-r.ahead.current.first]; *at != nil {
			record := *at
			*at = nil // it is the consumer's
			return record, nil
		}
	}
	return r.load.load(ctx, index)
}

// intentOf returns the keys of the intent of an outcome, which mostly stand in
// the same span, whose keys are all; nil for other records.
func (r *search) intentOf(ctx context.Context, k *keys, in span, all []keys) (*keys, error) {
	if !k.isOutcome() {
		return nil, nil
	}
	if in.contains(k.intent) {
		return &all[k.intent-in.first], nil
	}
	return r.load.keys(ctx, k.intent)
}
