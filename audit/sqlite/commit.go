package sqlite

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"golang.org/x/mod/sumdb/tlog"

	"github.com/fielato/fielato/audit"
)

// prepared is what Prepare makes of a record.
type prepared struct {
	keys   keys
	bytes  []byte // keys, encoded
	period audit.Period
	form   audit.Form
	leaf   tlog.Hash
}

// Prepare implements audit.Preparer: it makes the record's keys.
func (s *Store) Prepare(form audit.Form, r *audit.Record) any {
	k := keysOf(r)
	return &prepared{keys: k, bytes: k.encode(), period: audit.PeriodOf(r.Time), form: form}
}

// Commit implements audit.Store. The context counts until the transaction begins:
// interrupting one gains nothing and leaves a failed batch behind.
func (s *Store) Commit(ctx context.Context, batch audit.Batch) error {
	err := s.commit(ctx, batch)
	if isForeignKey(err) {
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
	ctx = context.WithoutCancel(ctx)
	state, err := s.state(ctx, batch.Log)
	if err != nil {
		return err
	}
	if batch.First != state.size || batch.First+uint64(len(batch.Entries)) > maxIndex {
		return fmt.Errorf("%w: log %q of %s has %d records, the batch starts at %d",
			audit.ErrConflict, batch.Log, s.path, state.size, batch.First)
	}
	all := make([]*prepared, len(batch.Entries))
	for i, entry := range batch.Entries {
		p, ok := entry.Prepared.(*prepared)
		if !ok {
			p = s.Prepare(entry.Form, entry.Record).(*prepared)
		}
		p.leaf = entry.Leaf
		all[i] = p
	}
	if err := s.provideKeys(ctx, state, all, batch.Log); err != nil {
		return err
	}
	written, err := s.append(ctx, state, all, &batch)
	if err != nil {
		clear(s.logs)
		return explain(s.path, "writing", err)
	}
	s.checkpointer.wrote(written)
	return nil
}

// append writes the records as segments, the block that they fill if they do, and
// what belongs to the tree, in one transaction; then, and only then, the state goes on.
func (s *Store) append(ctx context.Context, state *logState, all []*prepared, batch *audit.Batch) (written int, err error) {
	segments := split(all, s.vault.master != nil)
	next := tail{first: state.tail.first, records: state.tail.records, terms: state.tail.terms, open: state.tail.open}
	for _, p := range all {
		next.add(p.keys)
	}
	// One segment, no block and no tile is the usual case: a statement is a
	// transaction.
	alone := len(segments) == 1 && !next.full() && len(batch.Tiles) == 0
	if !alone {
		if _, err := s.writer.ExecContext(ctx, "BEGIN IMMEDIATE"); err != nil {
			return 0, err
		}
		defer func() {
			if err != nil {
				// Where the error ended the transaction by itself this fails, which is
				// no harm; state looks that no transaction is open.
				_, _ = s.writer.ExecContext(ctx, "ROLLBACK")
			}
		}()
	}
	index, inTiles := state.size, uint64(0)
	if len(batch.Tiles) > 0 {
		inTiles = (state.size + uint64(len(all))) / audit.TileWidth * audit.TileWidth
	}
	for i, segment := range segments {
		var checkpoint []byte
		if i == len(segments)-1 {
			checkpoint = batch.Checkpoint
		}
		n, err := s.insertSegment(ctx, state, index, segment, index+uint64(len(segment)) > inTiles, checkpoint)
		if err != nil {
			return 0, err
		}
		index, written = index+uint64(len(segment)), written+n
	}
	after := &next
	if !alone {
		var n int
		if after, n, err = s.insertRest(ctx, state.id, &next, batch); err != nil {
			return 0, err
		}
		if _, err := s.writer.ExecContext(ctx, "COMMIT"); err != nil {
			return 0, err
		}
		written += n
	}
	state.size, state.tail = index, after
	return written, nil
}

// insertRest writes what not each batch has, and returns the tail that follows.
func (s *Store) insertRest(ctx context.Context, log int64, next *tail, batch *audit.Batch) (after *tail, written int, err error) {
	if len(batch.Entries) == 0 {
		if _, err := s.writer.ExecContext(ctx,
			"INSERT INTO checkpoints VALUES (?, ?) ON CONFLICT DO UPDATE SET note = excluded.note", log, batch.Checkpoint); err != nil {
			return nil, 0, err
		}
	}
	for _, tile := range batch.Tiles {
		if _, err := s.insertTile.ExecContext(ctx, log, tile.Level, int64(tile.N), tile.Hashes); err != nil {
			return nil, 0, err
		}
		written += len(tile.Hashes)
	}
	if !next.full() {
		return next, written, nil
	}
	n, err := s.insertBlock(ctx, log, next)
	return next.after(), written + n, err
}

// split cuts a batch into segments, also where a period begins if content is sealed.
func split(all []*prepared, byPeriod bool) [][]*prepared {
	if len(all) == 0 {
		return nil
	}
	var segments [][]*prepared
	start, size := 0, 0
	for i, p := range all {
		if i > start && (i-start == segmentRecords || size+p.form.Len() > segmentBytes || byPeriod && p.period != all[start].period) {
			segments, start, size = append(segments, all[start:i]), i, 0
		}
		size += p.form.Len()
	}
	return append(segments, all[start:])
}

// insertSegment writes one row, and the checkpoint unless it is nil. It leaves the leaf
// hashes out where tiles of the same batch have all of them.
func (s *Store) insertSegment(ctx context.Context, state *logState, first uint64, records []*prepared, withLeaves bool, checkpoint []byte) (int, error) {
	leaves := []byte{}
	if withLeaves {
		leaves = make([]byte, 0, len(records)*tlog.HashSize)
		for _, p := range records {
			leaves = append(leaves, p.leaf[:]...)
		}
	}
	list := make([][]byte, len(records))
	pack := func(of func(*prepared) []byte) []byte {
		for i, p := range records {
			list[i] = of(p)
		}
		s.packed = packList(s.packed[:0], list)
		return s.packed
	}
	keys := bytes.Clone(pack(func(p *prepared) []byte { return p.bytes }))
	summaries := compress(pack(func(p *prepared) []byte { return p.form.Summary }))
	content := compress(pack(func(p *prepared) []byte { return p.form.Content }))
	key, content, err := state.seal(records[0].period, first, content)
	if err != nil {
		return 0, err
	}
	id, written := segmentID(state.id, first), len(keys)+len(leaves)+len(summaries)+len(content)
	if checkpoint == nil {
		_, err := s.insertPlain.ExecContext(ctx, id, key, keys, leaves, summaries, content)
		return written, err
	}
	_, err = s.insert.ExecContext(ctx, id, key, keys, leaves, summaries, content, state.id, checkpoint)
	return written, err
}

func (s *Store) insertBlock(ctx context.Context, log int64, t *tail) (written int, err error) {
	b, err := t.invert(func(index uint64) (*keys, error) {
		return (&loader{store: s, log: log, from: s.writer}).keys(ctx, index)
	})
	if err != nil {
		return 0, err
	}
	if _, err := s.writer.ExecContext(ctx, "INSERT INTO blocks VALUES (?, ?, ?, ?, ?, ?, ?)",
		log, int64(b.first), int64(b.next), b.oldest, b.newest, packIndexes(b.open), packIndexes(b.late)); err != nil {
		return 0, err
	}
	insert, err := s.writer.PrepareContext(ctx, "INSERT INTO postings VALUES (?, ?, ?, ?)")
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, insert.Close()) }()
	for bucket, list := range b.lists {
		if len(list) == 0 {
			continue
		}
		if _, err := insert.ExecContext(ctx, log, bucket, int64(b.first), list); err != nil {
			return 0, err
		}
		written += len(list)
	}
	return written, nil
}
