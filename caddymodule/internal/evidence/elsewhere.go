package evidence

import (
	"context"
	"fmt"
	"slices"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/story"
)

// addSettledElsewhere adds what gateways with other logs have found out about the exchanges that are open
// in these logs, and the names of their logs. Without it, evidence of one log would call an exchange
// unknown although another log has its result.
func addSettledElsewhere(ctx context.Context, store audit.Store, names []string, exchanges []*story.Entry, number int64) ([]*story.Entry, []string, error) {
	open := story.OpenEntries(exchanges)
	if len(open) == 0 {
		return exchanges, names, nil
	}
	all, err := store.Logs(ctx)
	if err != nil {
		return nil, nil, fmt.Errorf("listing the logs: %w", err)
	}
	others := slices.DeleteFunc(slices.Clone(all), func(log string) bool { return slices.Contains(names, log) })
	names = slices.Clone(names)
	for _, s := range open {
		intent := &audit.Record{Log: s.Intent.Log, Index: s.Intent.Index, ID: s.ID}
		settlement, err := audit.SettlementElsewhere(ctx, store, others, intent)
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
