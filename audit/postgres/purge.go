package postgres

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/postgres"
	"github.com/fielato/fielato/internal/segment"
)

// purge is one run of Purge: a segment.Purgeable, which reads as readers do.
type purge struct {
	purger *Purger
	rows
}

// Outlines implements segment.Purgeable.
func (p *purge) Outlines(ctx context.Context, from, to uint64, limit int) ([]segment.Row, error) {
	return p.choose(ctx, "purged <> 1", from, to, segment.ColumnOutline, limit)
}

// Holds implements segment.Purgeable.
func (p *purge) Holds(ctx context.Context) ([]audit.Hold, error) { return p.purger.Holds(ctx) }

// Update implements segment.Purgeable. To make the changes of one again is safe, so that an
// outcome that is uncertain is tried again.
func (p *purge) Update(ctx context.Context, do func(segment.PurgeTx) error) error {
	update := func() error {
		return p.purger.update(ctx, func(tx pgx.Tx) error { return do(purgeTx{tx, p.log}) })
	}
	err := update()
	if errors.Is(err, postgres.ErrUncertain) {
		err = update()
	}
	return err
}

// Wrote implements segment.Purgeable.
func (p *purge) Wrote(int64) {}

// purgeTx is what a purge does in a transaction: a segment.PurgeTx.
type purgeTx struct {
	tx  pgx.Tx
	log string
}

// Holds implements segment.PurgeTx.
func (t purgeTx) Holds(ctx context.Context) ([]audit.Hold, error) {
	return collectFrom(ctx, t.tx, scanHold, selectHolds)
}

// Change implements segment.PurgeTx.
func (t purgeTx) Change(ctx context.Context, row *segment.Row) error {
	_, err := t.tx.Exec(ctx, "UPDATE audit_segments SET purged = $3, key = $4, content = $5 WHERE log = $1 AND first = $2",
		t.log, int64(row.First), int64(row.Purged), row.Key, row.Content)
	return err
}

// KeysFrom implements segment.PurgeTx. It waits for the commit that is under way; the next one
// waits for this transaction, and checks that its keys are still there.
func (t purgeTx) KeysFrom(ctx context.Context, from uint64) ([]int64, error) {
	if _, err := t.tx.Exec(ctx, lockLease, writeLease(t.log)); err != nil {
		return nil, err
	}
	return collectFrom(ctx, t.tx, pgx.RowTo[int64],
		"SELECT DISTINCT key FROM audit_segments WHERE log = $1 AND first >= $2 AND key IS NOT NULL", t.log, int64(from))
}

// KeysBefore implements segment.PurgeTx.
func (t purgeTx) KeysBefore(ctx context.Context, period audit.Period) ([]int64, error) {
	return collectFrom(ctx, t.tx, pgx.RowTo[int64],
		"SELECT id FROM audit_data_keys WHERE log = $1 AND period < $2", t.log, int64(period))
}

// DestroyKey implements segment.PurgeTx.
func (t purgeTx) DestroyKey(ctx context.Context, number int64) error {
	_, err := t.tx.Exec(ctx, "DELETE FROM audit_data_keys WHERE id = $1", number)
	return err
}
