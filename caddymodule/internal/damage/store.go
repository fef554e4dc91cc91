package damage

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync"

	"github.com/fielato/fielato/audit"
)

// Store is a store in which damaged records hide no others: its searches go on behind them, and a record whose content
// alone is damaged is one without content (audit.Unread). Whoever shows what it finds must also show that Met is true.
// It is safe for concurrent use.
type Store struct {
	audit.Store

	mu  sync.Mutex // guards met
	met bool
}

// Met reports whether something that was asked for could not be read.
func (s *Store) Met() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.met
}

func (s *Store) meet() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.met = true
}

// Search implements audit.Store.
func (s *Store) Search(ctx context.Context, query audit.Query) iter.Seq2[*audit.Record, error] {
	return func(yield func(*audit.Record, error) bool) {
		left := query.Limit
		for record, err := range Search(ctx, s.Store, query) {
			if flaw, ok := errors.AsType[*Error](err); ok {
				s.meet()
				if flaw.Record == nil {
					continue
				}
				record, err = flaw.Record, nil
			}
			if !yield(record, err) || err != nil {
				return
			}
			if left--; left == 0 {
				return
			}
		}
	}
}

// ErrMissed says that a Store leaves out a damaged record, and has met the damage. Whoever can do without the record goes on.
var ErrMissed = errors.New("damaged, and left out")

// Get implements audit.Store. The error wraps ErrMissed and the damage's own if no search finds the summary: none finds
// an intent that has an outcome.
func (s *Store) Get(ctx context.Context, log string, index uint64) (*audit.Record, error) {
	record, err := s.Store.Get(ctx, log, index)
	if !Is(err) {
		return record, err
	}
	s.meet()
	for record, failed := range s.Store.Search(ctx, audit.Query{Log: log, From: index, Before: index + 1, SummaryOnly: true}) {
		if failed == nil {
			return summaryOf(record), nil
		}
	}
	return nil, fmt.Errorf("%w: %w", ErrMissed, err)
}
