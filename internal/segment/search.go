package segment

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/segment/frame"
	"github.com/fielato/fielato/internal/segment/run"
)

// span is a range of records: first <= index < next.
type span struct{ first, next uint64 }

func (s span) contains(index uint64) bool { return index >= s.first && index < s.next }

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
	walk     *run.Walk
	// ahead reads the spans that are scanned, nil if the query asks for content or for one invoice.
	ahead *ahead
	found int
	yield func(*audit.Record, error) bool
}

// Search yields the records of the view that match, newest first (audit.Store). Nothing
// of the store is held open while the consumer works.
func Search(ctx context.Context, rows Rows, vault *Vault, tails *Tails, view View, query *audit.Query, yield func(*audit.Record, error) bool) {
	s := &search{
		query: query, terms: termsOfQuery(query, vault), view: view, tails: tails, rows: rows,
		load: NewLoader(rows, vault, query.Log), answered: map[uint64]bool{}, yield: yield,
	}
	// The codes that an answer has are content, and so are receivers.
	s.load.summaryOnly = query.SummaryOnly && query.Finding == "" && query.Receiver == 0
	if err := s.run(ctx); err != nil {
		yield(nil, err)
	}
}

// run searches the tail, and then the blocks that may have a match. Of other runs it only
// reads which intents they answer.
func (r *search) run(ctx context.Context) (err error) {
	if r.walk, err = run.NewWalk(ctx, r.rows, r.walkQuery(), r.view.Indexed); err != nil {
		return err
	}
	if r.load.summaryOnly && r.query.Number == 0 { // of one invoice there are few records: the keys of the tail are at hand
		r.ahead = r.readAhead(ctx)
		defer r.ahead.stop()
	}
	more, err := r.scan(ctx, span{r.view.Indexed, r.view.Size}, nil, func() ([]keys, error) {
		return r.tails.keys(ctx, r.rows, r.query.Log, r.view)
	})
	if err != nil || !more {
		return err
	}
	for {
		c, err := r.next(ctx)
		if err != nil || c == nil || c.Next <= r.query.From { // then so are the others
			return err
		}
		switch {
		case !c.Wanted:
		case r.walk.Picks(c):
			more, err = r.pick(ctx, c)
		default:
			more, err = r.scan(ctx, span{c.First, c.Next}, c, func() ([]keys, error) { return keysBetween(ctx, r.rows, c.First, c.Next) })
		}
		if err != nil || !more {
			return err
		}
		if err := r.passed(c); err != nil {
			return err
		}
	}
}

// walkQuery is the query as runs know it. An outcome's block has the terms and the time of its intent
// too (tail.invert): an outcome that matches only together with its intent is found there.
func (r *search) walkQuery() *run.Query {
	q := &run.Query{From: r.query.From, Before: r.query.Before, Open: r.query.Kind == audit.KindIntent}
	if since := r.query.Since.UnixMicro(); !r.query.Since.IsZero() {
		q.Since = &since
	}
	if until := r.query.Until.UnixMicro(); !r.query.Until.IsZero() {
		q.Until = &until
	}
	for _, one := range r.terms {
		var asked run.Terms
		for _, t := range one.terms {
			asked.Any = append(asked.Any, t.Posted())
		}
		if one.unless != 0 {
			unless := one.unless.Posted()
			asked.Unless = &unless
		}
		q.Terms = append(q.Terms, asked)
	}
	return q
}

// scan yields the matching records of a span, and reports whether to continue. read reads the keys of the
// span, if they were not read ahead. c is nil for the tail.
func (r *search) scan(ctx context.Context, in span, c *run.Candidate, read func() ([]keys, error)) (bool, error) {
	if r.ahead != nil {
		read = r.ahead.next
	}
	all, err := read()
	if err != nil {
		return false, err
	}
	for i, k := range slices.Backward(all) {
		index := in.first + uint64(i)
		if k.isOutcome() {
			r.answered[k.intent] = true
		}
		if !r.inRange(index) || !r.query.Asks(k.kind) {
			continue // looked at for what it answers only
		}
		if hidden, err := r.hides(c, index, &k); err != nil {
			return false, err
		} else if hidden {
			continue
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

// hides reports whether a record of the candidate is an intent that has an outcome.
func (r *search) hides(c *run.Candidate, index uint64, k *keys) (bool, error) {
	if !k.isIntent() {
		return false, nil
	}
	if c == nil || r.answered[index] {
		return r.answered[index], nil
	}
	open, err := c.IsOpen(index)
	return !open, err
}

// pick is scan for the records that a candidate is narrowed to.
func (r *search) pick(ctx context.Context, c *run.Candidate) (bool, error) {
	indexes, err := c.Picked()
	if err != nil {
		return false, err
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
			return false, fmt.Errorf("there is no record %d: %w", index, c.Damaged(frame.ErrDamaged))
		}
		if hidden, err := r.hides(c, index, k); err != nil {
			return false, err
		} else if hidden || !r.query.Asks(k.kind) {
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

// passed notes which intents a candidate answers. Those that come are older.
func (r *search) passed(c *run.Candidate) error {
	late, err := c.Late()
	if err != nil {
		return err
	}
	for _, intent := range late {
		r.answered[intent] = true
	}
	maps.DeleteFunc(r.answered, func(intent uint64, _ bool) bool { return intent >= c.First })
	return nil
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
