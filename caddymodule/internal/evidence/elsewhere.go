package evidence

import (
	"context"
	"fmt"
	"slices"

	"github.com/fielato/fielato/audit"
)

// addSettledElsewhere adds what gateways with other logs have found out about the exchanges that are open
// in these logs, and the names of their logs. Without it, evidence of one log would call an exchange
// unknown although another log has its result.
func addSettledElsewhere(ctx context.Context, store audit.Store, names []string, exchanges []*summary, number int64) ([]*summary, []string, error) {
	open := openExchanges(exchanges)
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
		intent := &audit.Record{Log: s.intent.log, Index: s.intent.index, ID: s.id}
		settlement, err := audit.SettlementElsewhere(ctx, store, others, intent)
		if err != nil {
			return nil, nil, err
		}
		if settlement == nil {
			continue
		}
		exchanges = append(exchanges, summaryOf(settlement, number))
		if !slices.Contains(names, settlement.Log) {
			names = append(names, settlement.Log)
		}
	}
	sortSummaries(exchanges)
	return exchanges, names, nil
}

// openExchanges returns the exchanges that leave open whether the invoice was issued, and are
// not settled by another of them.
func openExchanges(exchanges []*summary) (open []*summary) {
	settled := map[recordPlace]bool{}
	for _, s := range exchanges {
		if s.kind == audit.KindSettlement {
			settled[s.intent] = true
		}
	}
	for _, s := range exchanges {
		if s.isOpen() && !settled[s.intent] {
			open = append(open, s)
		}
	}
	return open
}
