package postgres

import (
	"context"

	"github.com/fielato/fielato/internal/segment/run"
)

// WithShape gives a small shape of the search index, so that few records make runs of several levels.
func WithShape(o Options, bits, records int) Options {
	o.shape = run.Shape{Bits: bits, Records: records, Terms: 1 << 16, Tail: records}
	return o
}

// Merge merges all blocks and runs of a log that can be merged.
func (s *Store) Merge(ctx context.Context, log string) {
	s.merger.Wake(log)
	s.merger.Merge(ctx)
}

// Cover returns the levels of the runs that a search reads, the oldest first.
func (s *Store) Cover(ctx context.Context, log string) (levels []int, err error) {
	view, err := s.view(ctx, log)
	if err != nil {
		return nil, err
	}
	rows, err := s.rows(log).Cover(ctx, view.Indexed)
	for _, row := range rows {
		levels = append(levels, row.Level)
	}
	return levels, err
}

// Holding returns what a commit does once it has found the claim of a log.
func (s *Store) Holding(log string) (hold func(context.Context) error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.claims[log]
	return func(ctx context.Context) error {
		_, _, err := c.hold(ctx)
		return err
	}
}
