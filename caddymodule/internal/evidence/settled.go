package evidence

import (
	"context"
	"fmt"
	"slices"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/story"
)

// addSettled adds what was found out later about the exchanges that are open, and the names of the logs that have it.
// A search for the number misses it where another gateway wrote it into a log of its own, and where it names no number,
// as for a lot of CAEA. Without it, evidence would call an exchange unknown although its result is
// recorded.
func addSettled(ctx context.Context, store audit.Store, names []string, exchanges []*story.Entry, number int64) ([]*story.Entry, []string, error) {
	open := story.OpenEntries(exchanges)
	if len(open) == 0 {
		return exchanges, names, nil
	}
	logs, err := store.Logs(ctx)
	if err != nil {
		return nil, nil, fmt.Errorf("listing the logs: %w", err)
	}
	names = slices.Clone(names)
	for _, s := range open {
		intent := &audit.Record{Log: s.Intent.Log, Index: s.Intent.Index, ID: s.ID}
		settlement, err := audit.SettlementAmong(ctx, store, logs, intent)
		if err != nil {
			return nil, nil, err
		}
		if settlement == nil {
			continue
		}
		found := unplacedOf(story.EntryOf(settlement, number), settlement)
		if found.entry.Environment == "" {
			if err := found.place(ctx, store); err != nil {
				return nil, nil, err
			}
		}
		exchanges = append(exchanges, found.entry)
		if !slices.Contains(names, settlement.Log) {
			names = append(names, settlement.Log)
		}
	}
	story.SortEntries(exchanges)
	return exchanges, names, nil
}
