package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/segment"
	"github.com/fielato/fielato/internal/segment/run"
)

// Inspect implements audit.Inspector. It checks that nothing acts on the tables behind the
// store's back, that every tile and list belongs to the log, and compares blocks and
// postings with the segments.
func (s *Store) Inspect(ctx context.Context, log string, found func(audit.Flaw)) error {
	i := &inspector{Inspection: segment.Inspection{Rows: s.rows(log), Vault: s.vault, Log: log, Found: found}}
	err := s.pool.Read(ctx, func() error {
		i.flaws = nil
		return i.readView(ctx, s)
	})
	for _, text := range i.flaws {
		i.Flaw("%s", text)
	}
	if err != nil {
		err = s.pool.Explain("inspecting", err)
	} else {
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
	flaws []string // of the current log, reported once it was read whole
}

// readView reads the view, and what must fit it at the same moment.
func (i *inspector) readView(ctx context.Context, s *Store) error {
	tx, err := s.pool.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly})
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }() // it has changed nothing
	v, err := scanView(tx.QueryRow(ctx, selectView, i.Log))
	if err != nil {
		return err
	}
	if i.View = v.View; !v.exists() {
		i.flaws = append(i.flaws, "logs: there is no log of this name")
	}
	for _, look := range []struct {
		text, sql string
		args      []any
	}{
		{
			"tiles: a log of so many records has no tile %d/%d",
			"SELECT level, n FROM audit_tiles WHERE log = $1 AND (level < 0 OR level > 6 OR n < 0 OR n >= $2 >> (8 * (level + 1))::INT) LIMIT 100",
			[]any{i.Log, int64(i.View.Size)},
		},
		{
			"postings: bucket %d at %d belongs to no block",
			"SELECT bucket, first FROM audit_postings WHERE log = $1 AND (bucket < 0 OR bucket >= $2 OR first NOT IN (SELECT first FROM audit_blocks WHERE log = $1)) LIMIT 100",
			[]any{i.Log, int64(run.Buckets)},
		},
		{
			"runs: there is no level %d, of which there is one at %d",
			"SELECT level, first FROM audit_runs WHERE log = $1 AND (level < 1 OR level > $2) LIMIT 100",
			[]any{i.Log, int64(s.shape.Levels())},
		},
		{
			"lists: there is no level %d, of which there is one at %d",
			"SELECT level, first FROM audit_lists WHERE log = $1 AND (level < 1 OR level > $2) LIMIT 1",
			[]any{i.Log, int64(s.shape.Levels())},
		},
		{
			// A purge that destroys a key takes it out of its segments first.
			"segments: the one at %d is sealed with the key %d, which is not there",
			"SELECT first, key FROM audit_segments WHERE log = $1 AND key IS NOT NULL AND key NOT IN (SELECT id FROM audit_data_keys) LIMIT 100",
			[]any{i.Log},
		},
	} {
		rows, err := collectFrom(ctx, tx, func(found pgx.CollectableRow) (row [2]int64, err error) {
			err = found.Scan(&row[0], &row[1])
			return row, err
		}, look.sql, look.args...)
		if err != nil {
			return err
		}
		for _, row := range rows {
			i.flaws = append(i.flaws, fmt.Sprintf(look.text, row[0], row[1]))
		}
	}
	return i.triggers(ctx, tx)
}

// triggers finds triggers on the trail's tables, which have none. Other tables whose names
// begin alike may have theirs, as a database may be shared.
func (i *inspector) triggers(ctx context.Context, tx pgx.Tx) error {
	names, err := collectFrom(ctx, tx, pgx.RowTo[string],
		"SELECT trigger_name || ' on ' || event_object_table FROM information_schema.triggers WHERE event_object_table IN "+
			"('audit_leases', 'audit_data_keys', 'audit_holds', 'audit_segments', 'audit_blocks', 'audit_postings', 'audit_runs', 'audit_lists', 'audit_tiles', "+
			"'audit_checkpoints', 'audit_secrets', 'audit_settings', 'audit_series')")
	for _, name := range names {
		i.flaws = append(i.flaws, "the schema: the trigger "+name+" does not belong to a trail")
	}
	return err
}
