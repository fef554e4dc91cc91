package sqlite

import (
	"context"
	"errors"
	"fmt"

	"golang.org/x/mod/sumdb/tlog"

	"github.com/fielato/fielato/audit"
)

// migrate brings a file of version 1, which had no tree, to this one, in one
// transaction: after a crash it starts again. It writes the full tiles, which have the
// leaf hashes of their records, and leaf hashes into the last segments: 32 bytes for
// each record, so that the file is not written anew. There is no checkpoint yet: that
// takes the key (audit.Options.First).
func (s *Store) migrate(ctx context.Context) (err error) {
	if _, err := s.writer.ExecContext(ctx, "BEGIN IMMEDIATE"); err != nil {
		return explain(s.path, "bringing to this version", err)
	}
	defer func() {
		if err != nil {
			_, failed := s.writer.ExecContext(ctx, "ROLLBACK")
			err = fmt.Errorf("bringing the trail to this version: %w", errors.Join(err, failed))
		}
	}()
	if _, err := s.writer.ExecContext(ctx, "ALTER TABLE segments ADD COLUMN leaves BLOB NOT NULL DEFAULT x'';"+treeSchema); err != nil {
		return explain(s.path, "changing the tables of", err)
	}
	logs, err := s.logNames(ctx)
	if err != nil {
		return err
	}
	for _, log := range logs {
		if err := s.migrateLog(ctx, log); err != nil {
			return fmt.Errorf("log %q: %w", log, err)
		}
	}
	if _, err := s.writer.ExecContext(ctx, fmt.Sprintf("PRAGMA user_version=%d;COMMIT;", schemaVersion)); err != nil {
		return explain(s.path, "writing", err)
	}
	return nil
}

func (s *Store) logNames(ctx context.Context) (names []string, err error) {
	rows, err := s.writer.QueryContext(ctx, "SELECT name FROM logs ORDER BY id")
	if err != nil {
		return nil, explain(s.path, "reading", err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return nil, explain(s.path, "reading", err)
		}
		names = append(names, name)
	}
	if err := rows.Err(); err != nil {
		return nil, explain(s.path, "reading", err)
	}
	return names, nil
}

// migrateLog hashes the records segment by segment.
func (s *Store) migrateLog(ctx context.Context, log string) error {
	view, err := readView(ctx, s.writer, log)
	if err != nil {
		return explain(s.path, "reading", err)
	}
	load := &loader{store: s, log: view.log, from: s.writer}
	var tree audit.Tree
	for tree.Size() < view.size {
		first := tree.Size()
		if _, err := load.fetch(ctx, &load.dataOf, selectData, first); err != nil {
			return err
		}
		if load.dataOf.first != first || len(load.dataOf.items) == 0 {
			return fmt.Errorf("record %d of %s is missing: %w", first, s.path, errFrame)
		}
		var tiles []audit.Tile
		var leaves []byte
		for _, data := range load.dataOf.items {
			leaf := tlog.RecordHash(data)
			leaves, tiles = append(leaves, leaf[:]...), tree.Add(leaf, tiles)
		}
		for _, tile := range tiles {
			if _, err := s.writer.ExecContext(ctx, insertTile, view.log, tile.Level, int64(tile.N), tile.Hashes); err != nil {
				return explain(s.path, "writing", err)
			}
		}
		if tree.Size() <= view.size/audit.TileWidth*audit.TileWidth {
			continue // all of the segment's hashes are, or will be, in tiles
		}
		if _, err := s.writer.ExecContext(ctx, "UPDATE segments SET leaves = ? WHERE id = ?",
			leaves, segmentID(view.log, first)); err != nil {
			return explain(s.path, "writing", err)
		}
	}
	return nil
}
