package audittest

import (
	"context"
	"fmt"
	"iter"

	"github.com/fielato/fielato/audit"
)

// Damaged is a store in which some records cannot be read. It has one log.
type Damaged struct {
	audit.Store
	// Content are the records whose content is damaged, Summary those of which nothing can be read.
	Content, Summary map[uint64]bool
	// Broken is the error of each search, nil for none.
	Broken error
}

// Search implements audit.Store. It stops at a damaged record. Records that are asked for without content have none.
func (d *Damaged) Search(ctx context.Context, query audit.Query) iter.Seq2[*audit.Record, error] {
	return func(yield func(*audit.Record, error) bool) {
		if d.Broken != nil {
			yield(nil, d.Broken)
			return
		}
		for r, err := range d.Store.Search(ctx, query) {
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
	}
}

// Get implements audit.Store.
func (d *Damaged) Get(ctx context.Context, log string, index uint64) (*audit.Record, error) {
	if d.Summary[index] || d.Content[index] {
		return nil, d.damaged(index)
	}
	return d.Store.Get(ctx, log, index)
}

func (d *Damaged) damaged(index uint64) error {
	return fmt.Errorf("record %d: %w", index, audit.ErrDamaged)
}
