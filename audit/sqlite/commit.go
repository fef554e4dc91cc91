package sqlite

import (
	"context"
	"errors"
	"fmt"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/audit/sqlite/internal/file"
	"github.com/fielato/fielato/internal/segment"
)

// Prepare implements audit.Preparer: it makes the record's keys.
func (s *Store) Prepare(form audit.Form, r *audit.Record) any { return s.vault.Prepare(form, r) }

// Commit implements audit.Store. The context counts until the transaction begins:
// interrupting one gains nothing and leaves a failed batch behind.
func (s *Store) Commit(ctx context.Context, batch audit.Batch) error {
	err := s.commit(ctx, batch)
	if file.IsForeignKey(err) {
		// A purge has destroyed the data key that this writer remembered. Nothing of
		// the batch is there; the state was forgotten, and a new key is made.
		err = s.commit(ctx, batch)
	}
	return err
}

func (s *Store) commit(ctx context.Context, batch audit.Batch) error {
	if s.lock == nil {
		return fmt.Errorf("writing %s: %w", s.path, errReader)
	}
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("writing %s: %w", s.path, err)
	}
	s.write.Lock()
	defer s.write.Unlock()
	if s.closed {
		return audit.ErrClosed
	}
	if err := s.lost(s.files.Gone()); err != nil {
		return err
	}
	ctx = context.WithoutCancel(ctx)
	state, err := s.state(ctx, batch.Log)
	if err != nil {
		return err
	}
	plan, err := state.Plan(ctx, s.written(state.id), keyring{s, state.id}, &batch)
	if err != nil {
		return err
	}
	if err := s.append(ctx, state.id, plan, &batch); err != nil {
		clear(s.logs)
		return file.Explain(s.path, "writing", err)
	}
	// SQLite writes to files that were removed without an error. Acknowledged records must be
	// in the files that the next start opens.
	if err := s.Attached(); err != nil {
		return err
	}
	state.Done(plan)
	s.checkpointer.wrote(plan.Bytes() + len(batch.Tiles)*audit.TileBytes)
	if plan.Block != nil {
		s.merger.Wake(batch.Log)
	}
	return nil
}

// append writes the segments, the block that they fill if they do, and what belongs to the
// tree, in one transaction.
func (s *Store) append(ctx context.Context, log int64, plan *segment.Plan, batch *audit.Batch) (err error) {
	// One segment, no block and no tile is the usual case: a statement is a
	// transaction.
	alone := len(plan.Segments) == 1 && plan.Block == nil && len(batch.Tiles) == 0 && plan.Segments[0].Purged == segment.PurgedNone
	if !alone {
		if _, err := s.writer.ExecContext(ctx, "BEGIN IMMEDIATE"); err != nil {
			return err
		}
		defer func() {
			if err != nil {
				// Where the error ended the transaction by itself this fails, which is
				// no harm; state checks that no transaction is open.
				_, _ = s.writer.ExecContext(ctx, "ROLLBACK")
			}
		}()
	}
	noted := false // the checkpoint
	for i := range plan.Segments {
		row := &plan.Segments[i]
		var err error
		if noted = i == len(plan.Segments)-1 && row.Purged == segment.PurgedNone; noted {
			_, err = s.insert.ExecContext(ctx, segmentID(log, row.First), row.Key, row.Keys, row.Leaves, row.Summaries, row.Content, log, batch.Checkpoint)
		} else {
			_, err = s.insertPlain.ExecContext(ctx, segmentID(log, row.First), row.Purged, row.Key, row.Keys, row.Leaves, row.Summaries, row.Content)
		}
		if err != nil {
			return err
		}
	}
	if alone {
		return nil
	}
	if err := s.insertRest(ctx, log, plan, batch, noted); err != nil {
		return err
	}
	_, err = s.writer.ExecContext(ctx, "COMMIT")
	return err
}

// TakesPurged implements audit.PurgedTaker.
func (s *Store) TakesPurged() bool { return true }

// insertRest writes what not each batch has, and the checkpoint if that is not noted yet.
func (s *Store) insertRest(ctx context.Context, log int64, plan *segment.Plan, batch *audit.Batch, noted bool) error {
	if !noted {
		if _, err := s.writer.ExecContext(ctx,
			"INSERT INTO checkpoints VALUES (?, ?) ON CONFLICT DO UPDATE SET note = excluded.note", log, batch.Checkpoint); err != nil {
			return err
		}
	}
	for _, tile := range batch.Tiles {
		if _, err := s.insertTile.ExecContext(ctx, log, tile.Level, int64(tile.N), tile.Hashes); err != nil {
			return err
		}
	}
	if plan.Block == nil {
		return nil
	}
	return s.insertBlock(ctx, log, plan.Block)
}

func (s *Store) insertBlock(ctx context.Context, log int64, b *segment.Block) (err error) {
	if _, err := s.writer.ExecContext(ctx, "INSERT INTO blocks VALUES (?, ?, ?, ?, ?, ?, ?)",
		log, int64(b.First), int64(b.Next), b.Oldest, b.Newest, b.Open, b.Late); err != nil {
		return err
	}
	insert, err := s.writer.PrepareContext(ctx, "INSERT INTO postings VALUES (?, ?, ?, ?)")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, insert.Close()) }()
	for bucket, list := range b.Lists {
		if len(list) == 0 {
			continue
		}
		if _, err := insert.ExecContext(ctx, log, bucket, int64(b.First), list); err != nil {
			return err
		}
	}
	return nil
}
