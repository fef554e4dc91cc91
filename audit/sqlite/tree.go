package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/audit/sqlite/internal/file"
	"github.com/fielato/fielato/internal/segment"
)

// Tile implements audit.Store.
func (s *Store) Tile(ctx context.Context, log string, level int, n uint64) ([]byte, error) {
	var hashes []byte
	const find = "SELECT hashes FROM tiles WHERE log = (SELECT id FROM logs WHERE name = ?) AND level = ? AND n = ?"
	err := s.readers.QueryRowContext(ctx, find, log, level, int64(n)).Scan(&hashes)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, fmt.Errorf("tile %d/%d of log %q: %w", level, n, log, audit.ErrNotFound)
	}
	if err != nil {
		return nil, file.Explain(s.path, "reading", err)
	}
	return hashes, nil
}

// Leaves implements audit.Store.
func (s *Store) Leaves(ctx context.Context, log string, first, end uint64) (leaves []byte, err error) {
	id, _, err := logID(ctx, s.readers, log)
	if err != nil {
		return nil, file.Explain(s.path, "reading", err)
	}
	return segment.Leaves(ctx, s.rows(id), log, first, end)
}

const insertTile = "INSERT INTO tiles (log, level, n, hashes) VALUES (?, ?, ?, ?)"
