package audit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
)

// ErrSeveralLogs: a query over several logs has a field that has a meaning in one log only.
var ErrSeveralLogs = errors.New("an index is one of one log, and several are searched")

// SearchLogs is Store.Search over several logs. It yields the records of all of them that
// match, newest first by Record.Time, and at the same time by the log's name. Within a log the
// order is by index, as in Search: of two exchanges there, the one that ended later comes first.
// The limit is over all logs. Query.Log is ignored; Query.Before and Query.From are indexes, and
// with several logs an error (ErrSeveralLogs).
//
// A query for open intents (KindIntent) leaves out those that any other log of the store has
// settled, so it searches one log no differently than several. SearchLogs keeps one record of each log in memory, and stops at the first error.
func SearchLogs(ctx context.Context, store Store, logs []string, query Query) iter.Seq2[*Record, error] {
	if len(logs) == 1 && query.Kind != KindIntent {
		query.Log = logs[0]
		return store.Search(ctx, query)
	}
	return func(yield func(*Record, error) bool) {
		if (query.Before != 0 || query.From != 0) && len(logs) > 1 {
			yield(nil, ErrSeveralLogs)
			return
		}
		m := merge{store: store, logs: slices.Sorted(slices.Values(logs)), query: query}
		defer m.stop()
		if err := m.run(ctx, yield); err != nil {
			yield(nil, err)
		}
	}
}

// merge is one search over several logs.
type merge struct {
	store Store
	logs  []string // sorted: of two records of the same time the first log's comes first
	query Query
	heads []*searchHead
	// all are the logs of the store, listed when they are first needed.
	all []string
}

// searchHead is the next record of a log, nil after the last.
type searchHead struct {
	record *Record
	next   func() (*Record, error, bool)
	stop   func()
}

func (h *searchHead) advance() (err error) {
	h.record, err, _ = h.next()
	return err
}

func (m *merge) run(ctx context.Context, yield func(*Record, error) bool) error {
	for _, log := range m.logs {
		query := m.query
		// Which log the limit leaves out is known at the end only.
		query.Log, query.Limit = log, 0
		h := new(searchHead)
		h.next, h.stop = iter.Pull2(m.store.Search(ctx, query))
		m.heads = append(m.heads, h)
		if err := h.advance(); err != nil {
			return err
		}
	}
	for found := 0; m.query.Limit == 0 || found < m.query.Limit; {
		h := m.newest()
		if h == nil {
			return nil
		}
		settled, err := m.settledElsewhere(ctx, h.record)
		if err != nil {
			return err
		}
		if !settled {
			if found++; !yield(h.record, nil) {
				return nil
			}
		}
		if err := h.advance(); err != nil {
			return err
		}
	}
	return nil
}

// newest returns the log whose record is next, nil at the end.
func (m *merge) newest() (newest *searchHead) {
	for _, h := range m.heads {
		if h.record != nil && (newest == nil || h.record.Time.After(newest.record.Time)) {
			newest = h
		}
	}
	return newest
}

// settledElsewhere reports whether another log has settled the open intent: its settlement
// could not be written into its own log.
func (m *merge) settledElsewhere(ctx context.Context, intent *Record) (bool, error) {
	if m.query.Kind != KindIntent {
		return false, nil
	}
	if m.all == nil {
		all, err := m.store.Logs(ctx)
		if err != nil {
			return false, fmt.Errorf("listing the logs: %w", err)
		}
		m.all = all
	}
	settlement, err := SettlementElsewhere(ctx, m.store, m.all, intent)
	return settlement != nil, err
}

// SettlementElsewhere returns the record by which another one of these logs has settled
// the intent, nil if none has.
func SettlementElsewhere(ctx context.Context, store Store, logs []string, intent *Record) (*Record, error) {
	return settlementAmong(ctx, store, logs, intent, intent.Log)
}

// SettlementAmong returns the record by which one of these logs has settled the intent, its own or another one; nil if
// none has. A search for the invoice misses a settlement that names no number.
func SettlementAmong(ctx context.Context, store Store, logs []string, intent *Record) (*Record, error) {
	return settlementAmong(ctx, store, logs, intent, "")
}

// settlementAmong leaves out the log of the name except; empty for none.
func settlementAmong(ctx context.Context, store Store, logs []string, intent *Record, except string) (*Record, error) {
	for _, log := range logs {
		if log == except {
			continue
		}
		if r, err := SettlementIn(ctx, store, log, intent); r != nil || err != nil {
			return r, err
		}
	}
	return nil, nil
}

// SettlementIn returns the record of a log, the intent's own or another one, by which the
// intent was settled after the client's answer; nil if there is none.
func SettlementIn(ctx context.Context, store Store, log string, intent *Record) (*Record, error) {
	for r, err := range store.Search(ctx, Query{Log: log, ID: intent.ID, Kind: KindSettlement}) {
		if err != nil {
			return nil, fmt.Errorf("looking for the settlement of record %d of log %q: %w", intent.Index, intent.Log, err)
		}
		if cmp.Or(r.IntentLog, log) == intent.Log && r.Intent == intent.Index {
			return r, nil
		}
	}
	return nil, nil
}

func (m *merge) stop() {
	for _, h := range m.heads {
		h.stop()
	}
}
