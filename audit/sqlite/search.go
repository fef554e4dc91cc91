package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"iter"

	"github.com/fielato/fielato/audit"
)

// span is a range of records: first <= index < next.
type span struct{ first, next uint64 }

// search is one run of Search.
type search struct {
	query *audit.Query
	terms []alternatives
	load  loader
	view  view
	// answered has the intents whose outcomes were passed and that were not
	// reached yet: they are not to be found themselves. Going from the newest to
	// the oldest, each outcome comes before its intent; so the set stays as small
	// as the number of exchanges under way at a time.
	answered map[uint64]bool
	found    int
}

// Search implements audit.Store.
//
// No transaction is open while the consumer works: a slow one would keep the
// write-ahead log from being emptied.
func (s *Store) Search(ctx context.Context, query audit.Query) iter.Seq2[*audit.Record, error] {
	return func(yield func(*audit.Record, error) bool) {
		view, err := s.view(ctx, query.Log)
		if err != nil {
			yield(nil, err)
			return
		}
		if view.log == 0 {
			return
		}
		run := &search{
			query: &query, terms: termsOfQuery(&query), view: view,
			load:     loader{store: s, log: view.log, name: query.Log, from: s.readers},
			answered: map[uint64]bool{},
		}
		spans, err := run.spans(ctx)
		if err != nil {
			yield(nil, err)
			return
		}
		for _, span := range spans {
			more, err := run.scan(ctx, span, yield)
			if err != nil {
				yield(nil, err)
				return
			}
			if !more {
				return
			}
		}
	}
}

// spans returns where to look, newest first: the tail, and the blocks whose lists
// have each term and whose time may fit.
//
// An outcome's block has the terms and the time of its intent too (tail.invert).
// So if an intent matches, the blocks of its outcomes are among these, and scan
// has passed them before it comes to the intent.
func (r *search) spans(ctx context.Context) ([]span, error) {
	spans := []span{{r.view.indexed, r.view.size}}
	blocks, err := r.blocks(ctx)
	if err != nil {
		return nil, err
	}
	for _, one := range r.terms {
		having, err := r.blocksWith(ctx, one)
		if err != nil {
			return nil, err
		}
		kept := blocks[:0]
		for _, b := range blocks {
			if having[b.first] {
				kept = append(kept, b)
			}
		}
		blocks = kept
	}
	return append(spans, blocks...), nil
}

func (r *search) blocks(ctx context.Context) (spans []span, err error) {
	rows, err := r.load.from.QueryContext(ctx,
		"SELECT first, next, oldest, newest FROM blocks WHERE log = ? AND first < ? ORDER BY first DESC",
		r.load.log, int64(r.view.indexed))
	if err != nil {
		return nil, explain(r.load.store.path, "searching", err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var first, next, oldest, newest int64
		if err := rows.Scan(&first, &next, &oldest, &newest); err != nil {
			return nil, explain(r.load.store.path, "searching", err)
		}
		if r.query.Since.UnixMicro() > newest && !r.query.Since.IsZero() ||
			r.query.Until.UnixMicro() < oldest && !r.query.Until.IsZero() {
			continue
		}
		spans = append(spans, span{uint64(first), uint64(next)})
	}
	if err := rows.Err(); err != nil {
		return nil, explain(r.load.store.path, "searching", err)
	}
	return spans, nil
}

// blocksWith returns the blocks that have one of the terms, by their first index.
func (r *search) blocksWith(ctx context.Context, one alternatives) (_ map[uint64]bool, err error) {
	having := map[uint64]bool{}
	for _, t := range one {
		if err := r.addBlocksWith(ctx, t, having); err != nil {
			return nil, err
		}
	}
	return having, nil
}

func (r *search) addBlocksWith(ctx context.Context, t term, having map[uint64]bool) (err error) {
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
		if listHas(list, t) {
			having[uint64(first)] = true
		}
	}
	if err := rows.Err(); err != nil {
		return explain(r.load.store.path, "searching", err)
	}
	return nil
}

// scan yields the matching records of a span and reports whether to go on.
func (r *search) scan(ctx context.Context, in span, yield func(*audit.Record, error) bool) (bool, error) {
	all, err := r.load.keysBetween(ctx, in.first, in.next)
	if err != nil {
		return false, err
	}
	for i := len(all) - 1; i >= 0; i-- {
		index, k := in.first+uint64(i), &all[i]
		switch {
		case k.isOutcome():
			r.answered[k.intent] = true
		case r.answered[index]:
			delete(r.answered, index)
			continue
		}
		if r.query.Before != 0 && index >= r.query.Before {
			continue // looked at for what it answers only: a page far back reads no newer record
		}
		record, err := r.match(ctx, index, k, in, all)
		if err != nil {
			return false, err
		}
		if record == nil {
			continue
		}
		if !yield(record, nil) {
			return false, nil
		}
		if r.found++; r.found == r.query.Limit {
			return false, nil
		}
	}
	return true, nil
}

// match returns the record if the query asks for it, otherwise nil.
func (r *search) match(ctx context.Context, index uint64, k *keys, in span, all []keys) (*audit.Record, error) {
	ofIntent, err := r.intentOf(ctx, k, in, all)
	if err != nil {
		return nil, err
	}
	since, until := r.query.Since, r.query.Until
	if !k.has(r.terms, ofIntent) ||
		!k.during(since, until) && (ofIntent == nil || !ofIntent.during(since, until)) {
		return nil, nil
	}
	record, err := r.load.load(ctx, index)
	if err != nil || record == nil {
		return nil, err
	}
	var intent *audit.Record
	if ofIntent != nil && !r.query.Matches(record, nil) {
		if intent, err = r.load.load(ctx, k.intent); err != nil {
			return nil, err
		}
	}
	if !r.query.Matches(record, intent) {
		return nil, nil
	}
	return record, nil
}

// intentOf returns the keys of the intent of an outcome, which mostly stand in
// the same span; nil for other records.
func (r *search) intentOf(ctx context.Context, k *keys, in span, all []keys) (*keys, error) {
	if !k.isOutcome() {
		return nil, nil
	}
	if k.intent >= in.first && k.intent < in.next {
		return &all[k.intent-in.first], nil
	}
	return r.load.keys(ctx, k.intent)
}
