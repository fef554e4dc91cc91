package postgres

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/segment"
)

// Search implements audit.Store. No transaction is open while the consumer works, and no
// connection taken: what it reads later is what it would have read at its beginning, as
// rows never change and never go.
func (s *Store) Search(ctx context.Context, query audit.Query) iter.Seq2[*audit.Record, error] {
	return func(yield func(*audit.Record, error) bool) {
		view, err := s.view(ctx, query.Log)
		if err != nil {
			yield(nil, err)
			return
		}
		segment.Search(ctx, s.rows(query.Log), s.vault, &s.tails, view.View, &query, yield)
	}
}

// Scan implements audit.Store. A piece is a segment.
func (s *Store) Scan(ctx context.Context, log string, first uint64) iter.Seq2[audit.Piece, error] {
	return func(yield func(audit.Piece, error) bool) {
		view, err := s.view(ctx, log)
		if err != nil {
			yield(audit.Piece{}, err)
			return
		}
		segment.Scan(ctx, s.rows(log), s.vault, view.View, log, first, yield)
	}
}

// Get implements audit.Store.
func (s *Store) Get(ctx context.Context, log string, index uint64) (*audit.Record, error) {
	return segment.NewLoader(s.rows(log), s.vault, log).Get(ctx, index)
}

// Reader implements audit.Reading.
func (s *Store) Reader(_ context.Context, log string) (audit.RecordReader, error) {
	return segment.NewLoader(s.rows(log), s.vault, log), nil
}

// Tile implements audit.Store.
func (s *Store) Tile(ctx context.Context, log string, level int, n uint64) (hashes []byte, err error) {
	err = s.pool.Read(ctx, func() error {
		return s.pool.QueryRow(ctx, "SELECT hashes FROM audit_tiles WHERE log = $1 AND level = $2 AND n = $3",
			log, int64(level), int64(n)).Scan(&hashes)
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, fmt.Errorf("tile %d/%d of log %q: %w", level, n, log, audit.ErrNotFound)
	}
	return hashes, s.pool.Explain("reading", err)
}

// Leaves implements audit.Store.
func (s *Store) Leaves(ctx context.Context, log string, first, end uint64) ([]byte, error) {
	return segment.Leaves(ctx, s.rows(log), log, first, end)
}

// nextLog takes the next name by the primary keys: there are few names, and many rows of each.
const nextLog = `SELECT min(log) FROM (
	SELECT (SELECT min(log) FROM audit_checkpoints WHERE log > $1) AS log
	UNION ALL SELECT (SELECT min(log) FROM audit_segments WHERE log > $1)) AS logs`

// Logs implements audit.Store.
func (s *Store) Logs(ctx context.Context) ([]string, error) {
	names, last := []string{}, ""
	for {
		var next *string
		err := s.pool.Read(ctx, func() error { return s.pool.QueryRow(ctx, nextLog, last).Scan(&next) })
		if err != nil {
			return nil, s.pool.Explain("reading", err)
		}
		if next == nil {
			slices.Sort(names) // the database may have another order
			return names, nil
		}
		names, last = append(names, *next), *next
	}
}
