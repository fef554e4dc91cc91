package postgres

import (
	"bytes"
	"errors"

	"github.com/jackc/pgx/v5"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/segment"
)

// errKeyGone: a purge has destroyed a data key that this writer remembered.
var errKeyGone = errors.New("a data key was destroyed meanwhile")

// lockLog is lockLease, and returns the checkpoint with a number too.
const lockLog = "SELECT " + leaseColumns + ", (SELECT note FROM audit_checkpoints WHERE log = $2 AND number = $3) FROM audit_leases WHERE name = $1 FOR UPDATE"

// queueRight locks the row of the log. Head waits for this transaction, and so do a purge that
// destroys keys, and a process that takes the log over. It fails where another process has
// claimed the log, and where the log lacks the newest checkpoint that this store knows.
func queueRight(b *pgx.Batch, log string, held *lease, known checkpoint) {
	b.Queue(lockLog, writeLease(log), log, known.number).QueryRow(func(found pgx.Row) error {
		var note []byte
		row, err := scanLease(found, &note)
		switch {
		case err != nil:
		case held != nil:
			err = held.check(&row)
		case row.held():
			err = row.taken(log)
		}
		if err != nil || known.number == 0 {
			return err
		}
		return known.check(note)
	})
}

// check compares a checkpoint with the one that the database has under its number, nil for none.
func (c *checkpoint) check(note []byte) error {
	if !bytes.Equal(note, c.note) {
		return errEndLost
	}
	return nil
}

// errEndLost: the database does not have the newest checkpoint that this store knows. A server that
// has lost acknowledged commits, as after a failover to a replica that lagged, looks like this.
var errEndLost = errors.New("the newest checkpoint that this process has written is not there: was the database restored, or has a replica that lagged taken over?")

// queueNewest checks that the log ends with the newest checkpoint that this store knows. Without
// it, a log that has lost its end would be continued behind the gap, and would never verify again:
// the numbers of what follows do not collide with anything.
func queueNewest(b *pgx.Batch, log string, known checkpoint) {
	if known.number == 0 {
		return
	}
	b.Queue("SELECT note FROM audit_checkpoints WHERE log = $1 AND number = $2", log, known.number).QueryRow(func(found pgx.Row) error {
		var note []byte
		if err := found.Scan(&note); err != nil && !errors.Is(err, pgx.ErrNoRows) {
			return err
		}
		return known.check(note)
	})
}

// queueKeys checks that the data keys are there, now that no purge can destroy them.
func queueKeys(b *pgx.Batch, keys []int64) {
	if len(keys) == 0 {
		return
	}
	b.Queue("SELECT count(*) FROM audit_data_keys WHERE id = ANY($1)", keys).QueryRow(func(found pgx.Row) error {
		var n int
		if err := found.Scan(&n); err != nil {
			return err
		}
		if n != len(keys) {
			return errKeyGone
		}
		return nil
	})
}

// queuePlan writes the rows.
func queuePlan(b *pgx.Batch, batch *audit.Batch, plan *segment.Plan, checkpoint int64) {
	for i := range plan.Segments {
		row := &plan.Segments[i]
		b.Queue("INSERT INTO audit_segments (log, first, purged, key, keys, leaves, summaries, content) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
			batch.Log, int64(row.First), int64(row.Purged), row.Key, row.Keys, row.Leaves, row.Summaries, row.Content)
	}
	for _, tile := range batch.Tiles {
		b.Queue("INSERT INTO audit_tiles (log, level, n, hashes) VALUES ($1, $2, $3, $4)",
			batch.Log, int64(tile.Level), int64(tile.N), tile.Hashes)
	}
	if block := plan.Block; block != nil {
		b.Queue("INSERT INTO audit_blocks (log, first, next, oldest, newest, open, late) VALUES ($1, $2, $3, $4, $5, $6, $7)",
			batch.Log, int64(block.First), int64(block.Next), block.Oldest, block.Newest, block.Open, block.Late)
		for bucket, list := range block.Lists {
			if len(list) > 0 {
				b.Queue("INSERT INTO audit_postings (log, bucket, first, terms) VALUES ($1, $2, $3, $4)",
					batch.Log, int64(bucket), int64(block.First), list)
			}
		}
	}
	b.Queue("INSERT INTO audit_checkpoints (log, number, note) VALUES ($1, $2, $3)", batch.Log, checkpoint, batch.Checkpoint)
}
