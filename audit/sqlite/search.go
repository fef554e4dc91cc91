package sqlite

import (
	"context"
	"iter"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/audit/sqlite/internal/file"
	"github.com/fielato/fielato/internal/segment"
)

// Search implements audit.Store.
//
// No transaction is open while the consumer works: a slow one would keep the
// write-ahead log from being emptied.
func (s *Store) Search(ctx context.Context, query audit.Query) iter.Seq2[*audit.Record, error] {
	return func(yield func(*audit.Record, error) bool) {
		view, err := s.view(ctx, query.Log)
		switch {
		case err != nil:
			yield(nil, err)
		case view.log != 0:
			segment.Search(ctx, s.rows(view.log), s.vault, &s.tails, view.View, &query, yield)
		}
	}
}

// Scan implements audit.Store. A piece is a segment. It keeps no transaction open either.
func (s *Store) Scan(ctx context.Context, log string, first uint64) iter.Seq2[audit.Piece, error] {
	return func(yield func(audit.Piece, error) bool) {
		view, err := s.view(ctx, log)
		switch {
		case err != nil:
			yield(audit.Piece{}, err)
		case view.log != 0:
			segment.Scan(ctx, s.rows(view.log), s.vault, view.View, log, first, yield)
		}
	}
}

// Get implements audit.Store.
func (s *Store) Get(ctx context.Context, log string, index uint64) (*audit.Record, error) {
	reader, err := s.Reader(ctx, log)
	if err != nil {
		return nil, err
	}
	return reader.Get(ctx, index)
}

// Reader implements audit.Reading.
func (s *Store) Reader(ctx context.Context, log string) (audit.RecordReader, error) {
	id, _, err := logID(ctx, s.readers, log) // 0 has no records
	if err != nil {
		return nil, file.Explain(s.path, "reading", err)
	}
	return segment.NewLoader(s.rows(id), s.vault, log), nil
}
