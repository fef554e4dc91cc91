package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"modernc.org/sqlite"

	"github.com/fielato/fielato/audit/sqlite/internal/file"
	"github.com/fielato/fielato/internal/openfiles"
)

// The pragmas of each connection. synchronous=FULL syncs the write-ahead log at each commit:
// without it a power cut loses acknowledged records. wal_autocheckpoint=0 because a checkpoint
// in a commit makes one caller in a thousand wait; checkpoint.go does it. journal_size_limit
// truncates a log that grew behind a long reader. secure_delete costs nothing where nothing is
// removed; it is for the first records, which SQLite moves once as the file grows: a purge
// could not find the bytes left behind. foreign_keys: see the schema. The writer waits two
// seconds for a lock, which only a purge or a foreign tool can hold: clients wait with it, and
// then fail or continue without a record.
const (
	writerPragmas = "_pragma=busy_timeout(2000)&_pragma=synchronous(FULL)&_pragma=wal_autocheckpoint(0)" +
		"&_pragma=journal_size_limit(33554432)&_pragma=cache_size(-4096)&_pragma=secure_delete(ON)&_pragma=foreign_keys(ON)"
	readerPragmas = "mode=ro&_pragma=busy_timeout(5000)&_pragma=query_only(1)&_pragma=cache_size(-2048)"
)

// Open opens the evidence file at path for writing, and makes it and its folder
// if they do not exist (0600, 0700). Only one store can have a file open for
// writing: the second one gets ErrLocked.
func Open(path string, options ...Option) (*Store, error) {
	given, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("path of the trail: %w", err)
	}
	if path, err = resolve(path); err != nil {
		return nil, err
	}
	ctx := context.Background()
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return nil, file.Check(path) // before a lock is left beside it
	}
	// The lock comes first: it also keeps others from creating the tables.
	held, err := file.Acquire(ctx, path)
	if err != nil {
		return nil, err
	}
	s := newStore(path, options)
	s.lock, s.logs = held, map[string]*logState{}
	if err := s.openWriter(ctx); err != nil {
		return nil, errors.Join(err, s.closeAll())
	}
	if err := s.prepareReaders(ctx); err != nil {
		return nil, errors.Join(err, s.closeAll())
	}
	// The given path may lead through a link, which may be turned to another file.
	if s.files, err = openfiles.Of(given, path+"-wal", path+"-shm"); err != nil {
		return nil, errors.Join(err, s.closeAll())
	}
	if err := s.vault.ProvideSecret(ctx, s, true); err != nil {
		return nil, errors.Join(err, s.closeAll())
	}
	if s.checkpointer, err = startCheckpointer(ctx, s); err != nil {
		return nil, errors.Join(err, s.closeAll())
	}
	if err := s.startMerger(ctx); err != nil {
		s.checkpointer.stop()
		return nil, errors.Join(err, s.closeAll())
	}
	return s, nil
}

// OpenReader opens the evidence file at path for reading, beside a gateway that
// writes it or without one. It creates and changes no evidence. Commit, and
// Secret for a name that is not there, return an error.
//
// With the trail's content key the records come with their content, without it they
// are Sealed where it is.
func OpenReader(path string, options ...Option) (*Store, error) {
	path, err := resolve(path)
	if err != nil {
		return nil, err
	}
	if err := file.Check(path); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, &missingError{path}
		}
		return nil, err
	}
	ctx := context.Background()
	s := newStore(path, options)
	if s.readers, err = file.OpenPool(path, readerPragmas, runtime.GOMAXPROCS(0)+2); err != nil {
		return nil, err
	}
	if err = s.checkReadable(ctx); err == nil {
		err = s.prepareReaders(ctx)
	}
	if err == nil {
		err = s.vault.ProvideSecret(ctx, s, false)
	}
	if err != nil {
		return nil, errors.Join(err, s.closeAll())
	}
	return s, nil
}

func (s *Store) checkReadable(ctx context.Context) error {
	conn, err := s.readers.Conn(ctx)
	if err != nil {
		return file.Explain(s.path, "opening", err)
	}
	defer func() { _ = conn.Close() }()
	version, err := checkSchema(ctx, conn, s.path)
	if err == nil && version == 0 {
		return fmt.Errorf("%s is empty: no gateway has written to it yet", s.path)
	}
	if err != nil {
		return err
	}
	s.index.runs = version != withoutRuns
	_, err = s.checkKey(ctx, conn)
	return err
}

// openWriter opens the one connection that writes, and makes the tables.
func (s *Store) openWriter(ctx context.Context) (err error) {
	if err := file.Make(s.path); err != nil {
		return err
	}
	if s.file, err = file.Open(s.path); err != nil {
		return err
	}
	// A connection that only reads comes first and is closed last: the last one of a writer would copy the log into the
	// file, also where the start is refused because of it. An error comes again from the writer.
	if s.readers, err = file.OpenPool(s.path, readerPragmas, runtime.GOMAXPROCS(0)+2); err != nil {
		return err
	}
	_, _ = s.readers.ExecContext(ctx, "SELECT count(*) FROM sqlite_schema")
	if s.writers, err = file.OpenPool(s.path, writerPragmas, 2); err != nil {
		return err
	}
	if s.writer, err = s.connect(ctx); err != nil {
		return err
	}
	version, err := checkSchema(ctx, s.writer, s.path)
	if err != nil {
		return err
	}
	// Only now, as it changes the file: one that is not ours must stay as it is.
	var mode string
	if err := s.writer.QueryRowContext(ctx, "PRAGMA journal_mode=WAL").Scan(&mode); err != nil {
		return file.Explain(s.path, "opening", err)
	}
	if mode != "wal" {
		return fmt.Errorf("%s: the file system has no shared memory for SQLite's write-ahead log: put the file on a local disk", s.path)
	}
	if version != schemaVersion {
		if err := createSchema(ctx, s.writer, s.path, version); err != nil {
			return err
		}
	}
	s.index.runs = true
	if err := s.keepContentKey(ctx); err != nil {
		return err
	}
	return s.prepare(ctx)
}

// connect returns a writing connection that leaves the -wal and -shm files where
// they are when it is the last to close: so a reader has nothing to create.
func (s *Store) connect(ctx context.Context) (*sql.Conn, error) {
	return connect(ctx, s.writers, s.path)
}

func connect(ctx context.Context, pool *sql.DB, path string) (*sql.Conn, error) {
	conn, err := pool.Conn(ctx)
	if err != nil {
		return nil, file.Explain(path, "opening", err)
	}
	err = conn.Raw(func(driver any) error {
		_, err := driver.(sqlite.FileControl).FileControlPersistWAL("main", 1)
		return err
	})
	if err != nil {
		return nil, errors.Join(file.Explain(path, "opening", err), conn.Close())
	}
	return conn, nil
}

// resolve returns the path in full and without links, so that one file has one
// lock whatever it is called.
func resolve(path string) (string, error) {
	if path == "" {
		return "", errors.New("no path of the trail is given")
	}
	full, err := filepath.Abs(path)
	if err != nil {
		return "", fmt.Errorf("path of the trail: %w", err)
	}
	if real, err := filepath.EvalSymlinks(full); err == nil {
		return real, nil
	}
	return full, nil
}

// missingError is that there is no file. It wraps fs.ErrNotExist, whose text says nothing more.
type missingError struct{ path string }

func (e *missingError) Error() string { return "there is no trail at " + e.path }

func (*missingError) Unwrap() error { return fs.ErrNotExist }
