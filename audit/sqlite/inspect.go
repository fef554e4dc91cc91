package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/audit/sqlite/internal/file"
	"github.com/fielato/fielato/internal/segment"
	"github.com/fielato/fielato/internal/segment/run"
)

var _ audit.Inspector = (*Store)(nil)

// Inspect implements audit.Inspector. It checks that the tables have this format,
// that every row belongs to a log and every tile to its tree, compares blocks and
// postings with the segments, and lets SQLite look at the pages.
func (s *Store) Inspect(ctx context.Context, log string, found func(audit.Flaw)) error {
	i := newInspector(s, log, found)
	err := i.schema(ctx)
	if err == nil {
		err = i.rows(ctx)
	}
	if err == nil && i.log != 0 {
		err = i.Blocks(ctx)
	}
	if errors.Is(err, audit.ErrDamaged) {
		i.Flaw("%v", err)
		return nil
	}
	return err
}

// inspector is one run of Inspect.
type inspector struct {
	segment.Inspection
	store *Store
	log   int64 // 0 until rows has found it
}

func newInspector(s *Store, log string, found func(audit.Flaw)) *inspector {
	return &inspector{store: s, Inspection: segment.Inspection{Vault: s.vault, Log: log, Found: found}}
}

// schema compares the tables, and the trigger that keeps segments and checkpoints
// together, with those that createSchema makes, and has SQLite look at the pages.
func (i *inspector) schema(ctx context.Context) error {
	fresh, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		return file.Explain(i.store.path, "inspecting", err)
	}
	defer func() { _ = fresh.Close() }()
	fresh.SetMaxOpenConns(1) // each connection has a database of its own
	// The version may have become the next one since the file was opened.
	version := 0
	if err := i.store.readers.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version); err != nil {
		return file.Explain(i.store.path, "inspecting", err)
	}
	if _, err := fresh.ExecContext(ctx, schemaOf(version)); err != nil {
		return file.Explain(i.store.path, "inspecting", err)
	}
	want, err := textsOf(ctx, fresh)
	if err != nil {
		return file.Explain(i.store.path, "inspecting", err)
	}
	have, err := textsOf(ctx, i.store.readers)
	if err != nil {
		return file.Explain(i.store.path, "inspecting", err)
	}
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if have[name] != want[name] {
			i.Flaw("the schema: the %s is missing, or is not that of this format", name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(have)) {
		if _, ours := want[name]; !ours {
			i.Flaw("the schema: the %s does not belong to a trail", name)
		}
	}
	return file.Pages(ctx, i.store.readers, i.store.path, i.Flaw)
}

// textsOf returns the text of each table, view, index and trigger, except for the statistics of
// ANALYZE: running it is no change.
func textsOf(ctx context.Context, from querier) (map[string]string, error) {
	texts := map[string]string{}
	err := each(ctx, from, func(rows *sql.Rows) error {
		var name, text string
		err := rows.Scan(&name, &text)
		texts[name] = text
		return err
	}, "SELECT type || ' ' || name, coalesce(sql, '') FROM sqlite_schema WHERE name NOT IN ('sqlite_stat1', 'sqlite_stat4')")
	return texts, err
}

// rows reads the view, and what must fit it at the same moment: in one
// transaction, which reads keys only and is short.
func (i *inspector) rows(ctx context.Context) (err error) {
	tx, err := i.store.readers.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return file.Explain(i.store.path, "inspecting", err)
	}
	defer func() { _ = tx.Rollback() }() // it has changed nothing
	view, err := readView(ctx, tx, i.Log)
	if err != nil {
		return file.Explain(i.store.path, "inspecting", err)
	}
	i.log, i.View, i.Rows = view.log, view.View, i.store.rows(view.log)
	if i.log == 0 {
		i.Flaw("logs: there is no log of this name")
	}
	for _, look := range []func(context.Context, querier) error{i.strayRows, i.tiles, i.strayPostings, i.strayRuns, i.missingKeys} {
		if err := look(ctx, tx); err != nil {
			return file.Explain(i.store.path, "inspecting", err)
		}
	}
	return nil
}

// strayRows looks for rows that belong to no log. It jumps from one log to the next.
func (i *inspector) strayRows(ctx context.Context, from querier) error {
	named := map[int64]bool{}
	err := each(ctx, from, func(rows *sql.Rows) error {
		var id int64
		err := rows.Scan(&id)
		named[id] = true
		return err
	}, "SELECT id FROM logs")
	if err != nil {
		return err
	}
	for _, table := range []struct {
		name, column string
		bits         int // of the column that are not the log
	}{{"segments", "id", indexBits}, {"blocks", "log", 0}, {"postings", "log", 0}, {"tiles", "log", 0}, {"checkpoints", "log", 0}, {"runs", "log", 0}, {"lists", "log", 0}} {
		if !i.store.index.runs && (table.name == "runs" || table.name == "lists") {
			continue
		}
		query := fmt.Sprintf("SELECT min(%s) FROM %s WHERE %[1]s >= ?", table.column, table.name)
		for at := int64(math.MinInt64); ; {
			var least sql.NullInt64
			if err := from.QueryRowContext(ctx, query, at).Scan(&least); err != nil {
				return err
			}
			log := least.Int64 >> table.bits
			if least.Valid && !named[log] {
				i.Flaw("logs: no log has the number %d, of which there are rows in %s", log, table.name)
			}
			if !least.Valid || log == math.MaxInt64>>table.bits {
				break
			}
			at = (log + 1) << table.bits
		}
	}
	return nil
}

// tiles finds those that a log of this size cannot have. Whether the others are there and right
// is for package verify.
func (i *inspector) tiles(ctx context.Context, from querier) error {
	return each(ctx, from, func(rows *sql.Rows) error {
		var level, n int64
		err := rows.Scan(&level, &n)
		i.Flaw("tiles: the log of %d records has no tile %d/%d", i.View.Size, level, n)
		return err
	}, "SELECT level, n FROM tiles WHERE log = ? AND (level < 0 OR level > 6 OR n < 0 OR n >= ? >> 8 * (level + 1))",
		i.log, int64(i.View.Size))
}

// strayPostings looks for those that no search reads, or for a block that is not there.
func (i *inspector) strayPostings(ctx context.Context, from querier) error {
	return each(ctx, from, func(rows *sql.Rows) error {
		var bucket, first int64
		err := rows.Scan(&bucket, &first)
		i.Flaw("postings: bucket %d at %d belongs to no block", bucket, first)
		return err
	}, "SELECT bucket, first FROM postings WHERE log = ? AND (bucket NOT BETWEEN 0 AND ? OR first NOT IN (SELECT first FROM blocks WHERE log = ?))",
		i.log, run.Buckets-1, i.log)
}

// strayRuns looks for runs and lists of a level that no search reads.
func (i *inspector) strayRuns(ctx context.Context, from querier) error {
	if !i.store.index.runs {
		return nil
	}
	for _, table := range []string{"runs", "lists"} {
		for _, where := range []string{"level < 1 LIMIT 1", fmt.Sprintf("level > %d LIMIT 1", i.store.index.shape.Levels())} {
			err := each(ctx, from, func(rows *sql.Rows) error {
				var level, first int64
				err := rows.Scan(&level, &first)
				i.Flaw("%s: there is no level %d, of which there are rows at %d", table, level, first)
				return err
			}, "SELECT level, first FROM "+table+" WHERE log = ? AND "+where, i.log)
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// missingKeys looks for segments sealed with a key that is missing: a
// purge that destroys a key takes it out of its segments first.
func (i *inspector) missingKeys(ctx context.Context, from querier) error {
	return each(ctx, from, func(rows *sql.Rows) error {
		var id, key int64
		err := rows.Scan(&id, &key)
		i.Flaw("segments: the one at %d is sealed with the key %d, which is not there", firstOf(id), key)
		return err
	}, "SELECT id, key FROM segments WHERE id BETWEEN ? AND ? AND key IS NOT NULL AND key NOT IN (SELECT id FROM data_keys) LIMIT 100",
		segmentID(i.log, 0), segmentID(i.log, maxIndex))
}

// each calls do for each row.
func each(ctx context.Context, from querier, do func(*sql.Rows) error, query string, args ...any) (err error) {
	rows, err := from.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		if err := do(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}
