package verify

import (
	"context"

	"github.com/fielato/fielato/audit"
)

// links follows which intents have an outcome, in the order of the log.
type links struct {
	store audit.Store
	log   string
	limit int
	open  IndexSet
}

// add adds the record at index, and a remark where an outcome has no intent that waits for it.
func (l *links) add(ctx context.Context, index uint64, it *item, remarks *Listing[OddLink]) {
	switch it.kind {
	case audit.KindIntent:
		l.open.Add(index)
	case audit.KindOutcome:
		if l.open.remove(it.intent) {
			return
		}
		remark := OddLink{Kind: NoIntent, Index: index, Intent: it.intent}
		// What comes later in the log than the bound is counted only.
		if len(remarks.Items) < l.limit && it.intent < index {
			if r, err := l.store.Get(ctx, l.log, it.intent); err == nil && r.Kind == audit.KindIntent {
				remark.Kind = SecondOutcome
			}
		}
		remarks.add(remark, l.limit, func(_, _ OddLink) int { return 1 })
	}
}

// listOpen returns the intents that are left.
func (l *links) listOpen() (open Listing[uint64]) {
	open.Count = l.open.count
	l.open.each(func(index uint64) bool {
		open.Items = append(open.Items, index)
		return len(open.Items) < l.limit
	})
	return open
}
