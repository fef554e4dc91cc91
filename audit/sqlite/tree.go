package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"golang.org/x/mod/sumdb/tlog"

	"github.com/fielato/fielato/audit"
)

// Tile implements audit.Store.
func (s *Store) Tile(ctx context.Context, log string, level int, n uint64) ([]byte, error) {
	var hashes []byte
	err := s.readers.QueryRowContext(ctx,
		"SELECT hashes FROM tiles WHERE log = (SELECT id FROM logs WHERE name = ?) AND level = ? AND n = ?",
		log, level, int64(n)).Scan(&hashes)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, fmt.Errorf("tile %d/%d of log %q: %w", level, n, log, audit.ErrNotFound)
	}
	if err != nil {
		return nil, explain(s.path, "reading", err)
	}
	return hashes, nil
}

// Leaves implements audit.Store.
func (s *Store) Leaves(ctx context.Context, log string, first, end uint64) (leaves []byte, err error) {
	if first >= end {
		return nil, nil
	}
	id, known, err := logID(ctx, s.readers, log)
	if err != nil {
		return nil, explain(s.path, "reading", err)
	}
	missing := fmt.Errorf("leaf hashes %d to %d of log %q: %w", first, end, log, audit.ErrNotFound)
	if !known || end > maxIndex {
		return nil, missing
	}
	// From the segment that the first record is in, which may start before it.
	rows, err := s.readers.QueryContext(ctx, `SELECT id, leaves FROM segments WHERE id < ? AND id >=
  (SELECT id FROM segments WHERE id BETWEEN ? AND ? ORDER BY id DESC LIMIT 1) ORDER BY id`,
		segmentID(id, end), segmentID(id, 0), segmentID(id, first))
	if err != nil {
		return nil, explain(s.path, "reading", err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var segment int64
		var some sql.RawBytes
		if err := rows.Scan(&segment, &some); err != nil {
			return nil, explain(s.path, "reading", err)
		}
		wanted := first + uint64(len(leaves))/tlog.HashSize
		skip := (wanted - firstOf(segment)) * tlog.HashSize
		if firstOf(segment) > wanted || skip >= uint64(len(some)) {
			return nil, missing // a gap, or only in a tile
		}
		leaves = append(leaves, some[skip:]...)
	}
	if err := rows.Err(); err != nil {
		return nil, explain(s.path, "reading", err)
	}
	if uint64(len(leaves)) < (end-first)*tlog.HashSize {
		return nil, missing
	}
	return leaves[:(end-first)*tlog.HashSize], nil
}

const insertTile = "INSERT INTO tiles (log, level, n, hashes) VALUES (?, ?, ?, ?)"
