package sqlite

import (
	"context"
	"database/sql"
	"errors"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/segment"
)

// purgeCheckpoint is how much a purge writes between two checkpoints.
const purgeCheckpoint = 4 << 20

// Purge implements audit.Purger.
func (p *Purger) Purge(ctx context.Context, request audit.PurgeRequest) (result audit.PurgeResult, err error) {
	exclusive, err := p.exclude(ctx)
	if err != nil {
		return result, err
	}
	defer func() { err = errors.Join(err, exclusive.Release()) }()
	log, err := p.logNumber(ctx, request.Log)
	if err != nil || log == 0 {
		return result, err
	}
	result, err = segment.Purge(ctx, &purge{Purger: p, rows: p.store.rows(log)}, p.store.vault, request)
	if err != nil || request.DryRun {
		return result, err
	}
	return result, p.emptyLog(ctx)
}

// purge is one run of Purge: a segment.Purgeable, which reads as readers do.
type purge struct {
	*Purger
	rows
	// written counts the bytes since the last checkpoint.
	written int64
}

// Outlines implements segment.Purgeable.
func (p *purge) Outlines(ctx context.Context, from, to uint64, limit int) (all []segment.Row, err error) {
	err = p.choose(ctx, "id >= ? AND id < ? AND purged <> 1", from, to, segment.ColumnOutline, limit, func(row *segment.Row) error {
		all = append(all, *row)
		return nil
	})
	return all, err
}

// Update implements segment.Purgeable.
func (p *purge) Update(ctx context.Context, do func(segment.PurgeTx) error) error {
	return p.update(ctx, func() error { return do(purgeTx{p.Purger, p.log}) })
}

// Wrote implements segment.Purgeable.
func (p *purge) Wrote(bytes int64) {
	if p.written += bytes; p.written >= purgeCheckpoint {
		p.written = 0
		checkpoint(p.conn, "PASSIVE")
	}
}

// purgeTx is what a purge does on the connection that writes.
type purgeTx struct {
	purger *Purger
	log    int64
}

// Holds implements segment.PurgeTx.
func (t purgeTx) Holds(ctx context.Context) ([]audit.Hold, error) {
	return t.purger.holds(ctx, t.purger.conn)
}

// Change implements segment.PurgeTx.
func (t purgeTx) Change(ctx context.Context, row *segment.Row) error {
	_, err := t.purger.conn.ExecContext(ctx, "UPDATE segments SET purged = ?, key = ?, content = ? WHERE id = ?",
		row.Purged, row.Key, row.Content, segmentID(t.log, row.First))
	return err
}

// KeysFrom implements segment.PurgeTx.
func (t purgeTx) KeysFrom(ctx context.Context, from uint64) ([]int64, error) {
	return t.numbers(ctx, "SELECT DISTINCT key FROM segments WHERE id >= ? AND id < ? AND key IS NOT NULL",
		segmentID(t.log, from), segmentID(t.log, maxIndex))
}

// KeysBefore implements segment.PurgeTx.
func (t purgeTx) KeysBefore(ctx context.Context, period audit.Period) ([]int64, error) {
	return t.numbers(ctx, "SELECT id FROM data_keys WHERE log = ? AND period < ?", t.log, period)
}

// DestroyKey implements segment.PurgeTx.
func (t purgeTx) DestroyKey(ctx context.Context, number int64) error {
	_, err := t.purger.conn.ExecContext(ctx, "DELETE FROM data_keys WHERE id = ?", number)
	return err
}

// numbers returns the one column of a query.
func (t purgeTx) numbers(ctx context.Context, query string, args ...any) (all []int64, err error) {
	err = each(ctx, t.purger.conn, func(rows *sql.Rows) error {
		var n int64
		err := rows.Scan(&n)
		all = append(all, n)
		return err
	}, query, args...)
	return all, err
}
