package audittest

import (
	"context"
	"fmt"
	"iter"

	"github.com/fielato/fielato/audit"
)

// Damaged is a store in which some records cannot be read.
type Damaged struct {
	audit.Store
	// Log is the damaged log, empty for each.
	Log string
	// Content are the records whose content is damaged, Summary those of which nothing can be read.
	Content, Summary map[uint64]bool
	// Blind: no search can exclude a record of Summary. Whatever it asks for, it meets the record unless its bounds leave
	// that out.
	Blind bool
	// Broken is the error of each search, nil for none.
	Broken error
}

// Search implements audit.Store. It stops at a damaged record. Records that are asked for without content have none.
func (d *Damaged) Search(ctx context.Context, query audit.Query) iter.Seq2[*audit.Record, error] {
	if d.Broken == nil && !d.isIn(query.Log) {
		return d.Store.Search(ctx, query)
	}
	return func(yield func(*audit.Record, error) bool) {
		if d.Broken != nil {
			yield(nil, d.Broken)
			return
		}
		for r, err := range d.Store.Search(ctx, query) {
			if err == nil && d.meets(&query, r.Index) {
				yield(nil, d.damaged(r.Index))
				return
			}
			if err == nil && (d.Summary[r.Index] || d.Content[r.Index] && (!query.SummaryOnly || query.Finding != "" || query.Receiver != 0)) {
				r, err = nil, d.damaged(r.Index)
			}
			if r != nil && query.SummaryOnly {
				summary := *r
				summary.Presence, summary.Request, summary.Answer = audit.Unread, nil, nil
				r = &summary
			}
			if !yield(r, err) || err != nil {
				return
			}
		}
		if d.meets(&query, 0) {
			yield(nil, d.damaged(query.From))
		}
	}
}

// meets reports whether a blind search has met a record of Summary when it has come down to an index.
func (d *Damaged) meets(query *audit.Query, down uint64) bool {
	if !d.Blind {
		return false
	}
	for index := range d.Summary {
		if index >= max(query.From, down) && (query.Before == 0 || index < query.Before) {
			return true
		}
	}
	return false
}

// isIn reports whether the damage is in a log.
func (d *Damaged) isIn(log string) bool { return d.Log == "" || d.Log == log }

// Get implements audit.Store.
func (d *Damaged) Get(ctx context.Context, log string, index uint64) (*audit.Record, error) {
	if d.isIn(log) && (d.Summary[index] || d.Content[index]) {
		return nil, d.damaged(index)
	}
	return d.Store.Get(ctx, log, index)
}

func (d *Damaged) damaged(index uint64) error {
	return fmt.Errorf("record %d: %w", index, audit.ErrDamaged)
}
