package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/fielato/fielato/audit/sqlite/internal/file"
	"github.com/fielato/fielato/internal/durable"
)

// Backup copies the present state of the trail at path into a new file, which only its
// owner can read. A gateway may write the trail meanwhile: it waits for nothing, but its
// write-ahead log grows until the backup is done. An error leaves no file. The file is whole by
// itself and has no free pages: nothing that a purge has removed is in it.
func Backup(ctx context.Context, path, to string) (err error) {
	s, err := OpenReader(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	file, err := durable.CreateNew(to) // VACUUM takes an empty file, and would make one that others can read
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, file.Abandon())
		}
	}()
	if err := s.vacuumInto(ctx, to); err != nil {
		return err
	}
	if err := file.Finish(); err != nil {
		return fmt.Errorf("writing %s: %w", to, err)
	}
	if err := durable.SyncFolder(filepath.Dir(to)); err != nil {
		return fmt.Errorf("writing %s: %w", to, err)
	}
	return nil
}

func (s *Store) vacuumInto(ctx context.Context, to string) (err error) {
	conn, err := s.readers.Conn(ctx)
	if err != nil {
		return file.Explain(s.path, "opening", err)
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	for _, step := range []struct {
		statement string
		args      []any
	}{
		{"PRAGMA query_only=0", nil}, // it counts for the new file too; the trail is open for reading alone
		{"VACUUM INTO ?", []any{to}},
	} {
		if _, err := conn.ExecContext(ctx, step.statement, step.args...); err != nil {
			return file.Explain(s.path, "backing up", err)
		}
	}
	return nil
}

// errThere: Restore was not told to replace a trail.
var errThere = errors.New("there is a trail already")

// Restore puts a copy of a trail's file where there is none, for its owner alone. It never
// overwrites: a trail that is there moves to the path aside, with its write-ahead log; without a
// path aside it stays, and Restore fails. No gateway may have either open: ErrLocked.
func Restore(ctx context.Context, from, path, aside string) (err error) {
	if path, err = resolve(path); err != nil {
		return err
	}
	held, err := file.Acquire(ctx, path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, held.Release()) }()
	if _, err := os.Lstat(path); err == nil && aside == "" {
		return fmt.Errorf("%w: %s stays as it is", errThere, path)
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("looking at the trail: %w", err)
	}
	temporary := path + durable.Temporary
	if err := os.Remove(temporary); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("removing what an interrupted restore has left: %w", err)
	}
	if err := copyTrail(ctx, from, temporary); err != nil {
		return fmt.Errorf("copying %s: %w", from, err)
	}
	if err := moveAside(path, aside); err != nil {
		return errors.Join(err, os.Remove(temporary))
	}
	if err := os.Rename(temporary, path); err != nil {
		return fmt.Errorf("putting the copy in place: %w", err)
	}
	return durable.SyncFolder(filepath.Dir(path))
}

// moveAside moves a trail. A write-ahead log without its trail is moved too: it must not meet
// another one.
func moveAside(path, aside string) error {
	for _, part := range []string{"", "-wal", "-shm"} {
		if _, err := os.Lstat(path + part); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if aside == "" {
			aside = path + ".left"
		}
		if err := os.Rename(path+part, aside+part); err != nil {
			return fmt.Errorf("moving the trail that is there to %s: %w", aside, err)
		}
	}
	return nil
}

// copyTrail copies the file of a trail into a new one. A backup has no write-ahead log, but files that somebody copied may
// have one, with records that are nowhere else.
func copyTrail(ctx context.Context, from, to string) error {
	from, err := resolve(from)
	if err != nil {
		return err
	}
	info, err := os.Stat(from + "-wal")
	if err == nil && info.Size() > 0 {
		return Backup(ctx, from, to)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return durable.Copy(from, to)
}
