package sqlite

import (
	"context"
	"fmt"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/segment/run"
)

// LimitPages makes SQLite report a full disk when the file has so many pages more
// than now; a large number takes the limit away.
func (s *Store) LimitPages(more int) error {
	s.write.Lock()
	defer s.write.Unlock()
	var pages int
	if err := s.writer.QueryRowContext(context.Background(), "PRAGMA page_count").Scan(&pages); err != nil {
		return err
	}
	_, err := s.writer.ExecContext(context.Background(), fmt.Sprintf("PRAGMA max_page_count=%d", pages+more))
	return err
}

// Exec runs a statement on the writing connection.
func (s *Store) Exec(statement string) error {
	s.write.Lock()
	defer s.write.Unlock()
	_, err := s.writer.ExecContext(context.Background(), statement)
	return err
}

// InspectAround inspects a log, and calls between after it has read how far the log goes.
func (s *Store) InspectAround(ctx context.Context, log string, between func(), found func(audit.Flaw)) error {
	i := newInspector(s, log, found)
	if err := i.rows(ctx); err != nil {
		return err
	}
	between()
	return i.Blocks(ctx)
}

// WithShape gives a small shape of the search index, so that few records make runs of several levels.
func WithShape(bits, records int) Option {
	return func(o *options) { o.shape = run.Shape{Bits: bits, Records: records, Terms: 1 << 16, Tail: records} }
}

// Merge merges all blocks and runs that can be merged.
func (s *Store) Merge(ctx context.Context) { s.merger.Merge(ctx) }

// Cover returns the levels of the runs that a search reads, the oldest first.
func (s *Store) Cover(ctx context.Context, log string) (levels []int, err error) {
	view, err := s.view(ctx, log)
	if err != nil {
		return nil, err
	}
	rows, err := s.rows(view.log).Cover(ctx, view.Indexed)
	for _, row := range rows {
		levels = append(levels, row.Level)
	}
	return levels, err
}

// HoldWriter takes the place of a commit that is under way, until release is called.
func HoldWriter(s *Store) (release func()) {
	s.write.Lock()
	return s.write.Unlock
}
