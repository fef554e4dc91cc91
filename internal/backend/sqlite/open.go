package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"sync"

	_ "modernc.org/sqlite" // the driver named "sqlite"

	"github.com/fielato/fielato/internal/backend"
	"github.com/fielato/fielato/internal/openfiles"
	"github.com/fielato/fielato/internal/panics"
)

// readers is the number of connections for reading.
const readers = 4

// pragmas are set on every connection: wait up to 10,000 ms for another process's lock,
// sync the log at every commit, never checkpoint on commit.
const pragmas = "_pragma=busy_timeout(10000)&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_pragma=wal_autocheckpoint(0)"

// Open opens the ledger in the file at path. It creates a missing file with mode 0600
// and a missing folder with mode 0700. The folder must be on a local disk: WAL mode
// needs shared memory.
func Open(path string) (*Ledger, error) {
	ledger, err := open(path)
	if err != nil {
		return nil, fmt.Errorf("ledger %s: %w", path, err)
	}
	return ledger, nil
}

func open(path string) (_ *Ledger, err error) {
	ctx := context.Background()
	creating.Lock()
	defer creating.Unlock()
	if err := createFile(path); err != nil {
		return nil, err
	}
	l := &Ledger{
		jobs:    make(chan *job, maxGroup),
		overdue: make(chan struct{}, 1),
		stop:    make(chan struct{}),
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, l.release())
		}
	}()
	if l.pool, err = sql.Open("sqlite", address(path, "&_pragma=cache_size(-16384)")); err != nil {
		return nil, err
	}
	if l.conn, err = l.pool.Conn(ctx); err != nil {
		return nil, fmt.Errorf("%w; the path must name a ledger, or nothing, on a local disk that can be written to", err)
	}
	if err := requireDurable(ctx, l.conn); err != nil {
		return nil, err
	}
	if err := migrate(ctx, l.conn); err != nil {
		return nil, err
	}
	if l.write, err = prepareAll(ctx, l.conn); err != nil {
		return nil, err
	}
	if l.reading, err = sql.Open("sqlite", address(path, "&_pragma=query_only(1)")); err != nil {
		return nil, err
	}
	l.reading.SetMaxOpenConns(readers)
	l.reading.SetMaxIdleConns(readers)
	if l.read, err = prepareAll(ctx, l.reading); err != nil {
		return nil, err
	}
	if l.files, err = openfiles.Of(path, path+"-wal", path+"-shm"); err != nil {
		return nil, err
	}
	panics.Go(&l.running, taskWrite, l.writer)
	panics.Go(&l.running, taskCheckpoint, l.checkpointer)
	return l, nil
}

var _ backend.Ledger = (*Ledger)(nil)

// address escapes the path: SQLite reads it as a URI.
func address(path, more string) string {
	escaped := (&url.URL{Path: filepath.ToSlash(path)}).EscapedPath()
	return "file:" + escaped + "?" + pragmas + more
}

// creating keeps two ledgers of one process from creating the same file. Closing any
// descriptor of a file drops all locks that the process holds on it, SQLite's included,
// so a file that may already be open must not be opened and closed here.
var creating sync.Mutex

// createFile creates the file before SQLite does, which would make it readable by
// every user. SQLite gives the companion files the mode of the main one.
func createFile(path string) error {
	if path == "" {
		return errors.New("no path; name the file that will hold the ledger")
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("%w; create the folder, or name another path", err)
	}
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		return errors.New("it is not a regular file; name another path")
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil // another process was faster
	}
	if err != nil {
		return fmt.Errorf("%w; let the process write the folder, or name another path", err)
	}
	return file.Close()
}

// requireDurable refuses a file on which Update cannot keep its promises. Without WAL,
// as on a network file system, readers and the writer block each other. Without
// synchronous=FULL (2) a power cut loses the last commits.
func requireDurable(ctx context.Context, conn *sql.Conn) error {
	var mode string
	var synchronous int
	if err := conn.QueryRowContext(ctx, "PRAGMA journal_mode").Scan(&mode); err != nil {
		return fmt.Errorf("read journal mode: %w", err)
	}
	if err := conn.QueryRowContext(ctx, "PRAGMA synchronous").Scan(&synchronous); err != nil {
		return fmt.Errorf("read synchronous: %w", err)
	}
	if mode != "wal" || synchronous != 2 {
		return fmt.Errorf("the journal mode is %s and synchronous %d instead of wal and 2; put the ledger on a local disk", mode, synchronous)
	}
	return nil
}
