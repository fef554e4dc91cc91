package sqlite

import (
	"context"
	"errors"
	"fmt"

	"github.com/fielato/fielato/audit"
)

// prepared is what Prepare makes of a record.
type prepared struct {
	keys  keys
	bytes []byte // keys, encoded
	data  []byte // the record's canonical form
}

// Prepare implements audit.Preparer: it makes the record's keys.
func (s *Store) Prepare(data []byte, r *audit.Record) any {
	k := keysOf(r)
	return &prepared{keys: k, bytes: k.encode(), data: data}
}

// Commit implements audit.Store. The context counts until the transaction begins:
// interrupting one gains nothing and leaves a failed batch behind.
func (s *Store) Commit(ctx context.Context, batch audit.Batch) error {
	if s.lock == nil {
		return fmt.Errorf("writing %s: %w", s.path, errReader)
	}
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("writing %s: %w", s.path, err)
	}
	if len(batch.Entries) == 0 {
		return nil
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
	first, last := batch.Entries[0].Index, batch.Entries[len(batch.Entries)-1].Index
	if first != state.size || last-first != uint64(len(batch.Entries)-1) || last > maxIndex {
		return fmt.Errorf("%w: log %q of %s has %d records, the batch starts at %d",
			audit.ErrConflict, batch.Log, s.path, state.size, first)
	}
	all := make([]*prepared, len(batch.Entries))
	for i, entry := range batch.Entries {
		p, ok := entry.Prepared.(*prepared)
		if !ok {
			p = s.Prepare(entry.Data, entry.Record).(*prepared)
		}
		all[i] = p
	}
	written, err := s.append(ctx, state, all)
	if err != nil {
		clear(s.logs)
		return explain(s.path, "writing", err)
	}
	s.checkpointer.wrote(written)
	return nil
}

// append writes the records as segments, and the block that they fill if they
// do, in one transaction; then, and only then, the state goes on.
func (s *Store) append(ctx context.Context, state *logState, all []*prepared) (written int, err error) {
	segments := split(all)
	next := tail{first: state.tail.first, records: state.tail.records, terms: state.tail.terms, open: state.tail.open}
	for _, p := range all {
		next.add(p.keys)
	}
	// One segment and no block is the usual case: a statement is a transaction.
	alone := len(segments) == 1 && !next.full()
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
	index := state.size
	for _, segment := range segments {
		n, err := s.insertSegment(ctx, segmentID(state.id, index), segment)
		if err != nil {
			return 0, err
		}
		index, written = index+uint64(len(segment)), written+n
	}
	after := &next
	if next.full() {
		n, err := s.insertBlock(ctx, state.id, &next)
		if err != nil {
			return 0, err
		}
		written, after = written+n, next.after()
	}
	if !alone {
		if _, err := s.writer.ExecContext(ctx, "COMMIT"); err != nil {
			return 0, err
		}
	}
	state.size, state.tail = index, after
	return written, nil
}

// split cuts a batch into segments.
func split(all []*prepared) [][]*prepared {
	var segments [][]*prepared
	start, size := 0, 0
	for i, p := range all {
		if i > start && (i-start == segmentRecords || size+len(p.data) > segmentBytes) {
			segments, start, size = append(segments, all[start:i]), i, 0
		}
		size += len(p.data)
	}
	return append(segments, all[start:])
}

func (s *Store) insertSegment(ctx context.Context, id int64, records []*prepared) (int, error) {
	keys, data := make([][]byte, len(records)), make([][]byte, len(records))
	for i, p := range records {
		keys[i], data[i] = p.bytes, p.data
	}
	s.packed = packList(s.packed[:0], data)
	packedKeys, frame := packList(nil, keys), compress(s.packed)
	_, err := s.insert.ExecContext(ctx, id, packedKeys, frame)
	return len(packedKeys) + len(frame), err
}

func (s *Store) insertBlock(ctx context.Context, log int64, t *tail) (written int, err error) {
	b, err := t.invert(func(index uint64) (*keys, error) {
		return (&loader{store: s, log: log, from: s.writer}).keys(ctx, index)
	})
	if err != nil {
		return 0, err
	}
	if _, err := s.writer.ExecContext(ctx, "INSERT INTO blocks VALUES (?, ?, ?, ?, ?)",
		log, int64(b.first), int64(b.next), b.oldest, b.newest); err != nil {
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
