package sqlite

import (
	"context"
	"database/sql"
	"errors"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/audit/sqlite/internal/file"
	"github.com/fielato/fielato/internal/segment/run"
)

// mergerPragmas configure the connection that merges. synchronous=NORMAL syncs nothing at a commit, so that the
// gateway's own wait as short as can be: a power cut may undo the last steps of a merge, and nothing else. Where
// another program holds the lock, the merge waits for the next block rather than for the lock.
const mergerPragmas = "_pragma=busy_timeout(200)&_pragma=synchronous(NORMAL)&_pragma=wal_autocheckpoint(0)" +
	"&_pragma=journal_size_limit(33554432)&_pragma=cache_size(-2048)"

// startMerger starts the goroutine that merges runs, with what an earlier process has left.
func (s *Store) startMerger(ctx context.Context) (err error) {
	if s.mergers, err = file.OpenPool(s.path, mergerPragmas, 1); err != nil {
		return err
	}
	if s.merging, err = connect(ctx, s.mergers, s.path); err != nil {
		return err
	}
	logs, err := s.Logs(ctx)
	if err != nil {
		return err
	}
	s.merger = run.NewMerger(ctx, (*mergedStore)(s), s.tell)
	for _, log := range logs {
		s.merger.Wake(log)
	}
	return nil
}

// mergedStore is the store as its merger sees it.
type mergedStore Store

// Index implements run.Store.
func (s *mergedStore) Index(ctx context.Context, log string) (run.Rows, error) {
	id, _, err := logID(ctx, s.readers, log)
	if err != nil {
		return nil, file.Explain(s.path, "reading", err)
	}
	return (*Store)(s).rows(id), nil
}

// WriteStep implements run.Store. Commits are kept out meanwhile.
func (s *mergedStore) WriteStep(ctx context.Context, log string, step *run.Step) error {
	s.write.Lock()
	defer s.write.Unlock()
	if s.closed {
		return audit.ErrClosed
	}
	if err := (*Store)(s).lost(s.files.Gone()); err != nil {
		return err
	}
	ctx = context.WithoutCancel(ctx)
	id, _, err := logID(ctx, s.merging, log)
	if err == nil {
		_, err = s.merging.ExecContext(ctx, "BEGIN IMMEDIATE")
	}
	if err != nil {
		return file.Explain(s.path, "merging in", err)
	}
	if err = insertStep(ctx, s.merging, id, step); err == nil {
		_, err = s.merging.ExecContext(ctx, "COMMIT")
	}
	if err != nil {
		_, _ = s.merging.ExecContext(ctx, "ROLLBACK") // it may have ended by itself
		return file.Explain(s.path, "merging in", err)
	}
	s.checkpointer.wrote(step.Bytes())
	return nil
}

func insertStep(ctx context.Context, conn *sql.Conn, log int64, step *run.Step) (err error) {
	insert, err := conn.PrepareContext(ctx, "INSERT INTO lists VALUES (?, ?, ?, ?, ?)")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, insert.Close()) }()
	for _, list := range step.Lists {
		if _, err := insert.ExecContext(ctx, log, step.Level, int64(step.First), list.Bucket, list.Terms); err != nil {
			return err
		}
	}
	row := step.Row
	if row == nil {
		return nil
	}
	_, err = conn.ExecContext(ctx, "INSERT INTO runs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
		log, row.Level, int64(row.First), int64(row.Next), row.Oldest, row.Newest, row.Open, row.Late, row.Parts)
	return err
}
