package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"sync"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/audit/sqlite/internal/file"
	"github.com/fielato/fielato/internal/openfiles"
	"github.com/fielato/fielato/internal/segment"
	"github.com/fielato/fielato/internal/segment/run"
)

// Store is an audit.Store in one SQLite file. It is made by Open or OpenReader
// and safe for concurrent use.
type Store struct {
	path    string
	readers *sql.DB
	vault   *segment.Vault
	tails   segment.Tails
	index   index
	// prepared are statements on readers.
	prepared *prepared
	tell     func(audit.Merging)

	// What follows is nil in a store of OpenReader.
	lock         *file.Lock
	file         *os.File // for the checkpointer
	files        *openfiles.Files
	writers      *sql.DB
	checkpointer *checkpointer
	mergers      *sql.DB
	merger       *run.Merger

	// write guards the rest of the fields, and is held during a commit.
	write  sync.Mutex
	closed bool
	writer *sql.Conn
	// merging is the connection of the merger.
	merging *sql.Conn
	// Statements on writer: a segment and a checkpoint, a segment, a tile.
	insert, insertPlain, insertTile *sql.Stmt
	logs                            map[string]*logState
}

// ErrLocked: another process, or another store of this one, writes the file already.
var ErrLocked = file.ErrLocked

// errReader is the error of the writing methods on a store of OpenReader.
var errReader = errors.New("this store was opened for reading")

var (
	_ audit.Store       = (*Store)(nil)
	_ audit.Preparer    = (*Store)(nil)
	_ audit.PurgedTaker = (*Store)(nil)
	_ audit.Attached    = (*Store)(nil)
)

func (s *Store) prepare(ctx context.Context) (err error) {
	for statement, into := range map[string]**sql.Stmt{
		"INSERT INTO appends VALUES (?, ?, ?, ?, ?, ?, ?, ?)":                                                   &s.insert,
		"INSERT INTO segments (id, purged, key, keys, leaves, summaries, content) VALUES (?, ?, ?, ?, ?, ?, ?)": &s.insertPlain,
		insertTile: &s.insertTile,
	} {
		if *into, err = s.writer.PrepareContext(ctx, statement); err != nil {
			return file.Explain(s.path, "opening", err)
		}
	}
	return nil
}

// Head implements audit.Store.
func (s *Store) Head(ctx context.Context, log string) (audit.Head, error) {
	if s.lock != nil {
		s.write.Lock() // a commit that is under way ends first
		defer s.write.Unlock()
		if s.closed {
			return audit.Head{}, audit.ErrClosed
		}
	}
	return s.Glimpse(ctx, log)
}

// Glimpse implements audit.Glimpser.
func (s *Store) Glimpse(ctx context.Context, log string) (audit.Head, error) {
	view, err := s.view(ctx, log)
	return audit.Head{Size: view.Size, Checkpoint: view.Checkpoint}, err
}

// Secret implements audit.Store.
func (s *Store) Secret(ctx context.Context, name string, create func() ([]byte, error)) ([]byte, error) {
	const find = "SELECT value FROM secrets WHERE name = ?"
	var value []byte
	err := s.readers.QueryRowContext(ctx, find, name).Scan(&value)
	if err == nil {
		return value, nil
	}
	if !errors.Is(err, sql.ErrNoRows) {
		return nil, file.Explain(s.path, "reading", err)
	}
	if value, err = create(); err != nil {
		return nil, fmt.Errorf("making secret %q: %w", name, err)
	}
	if s.lock == nil {
		return nil, fmt.Errorf("secret %q of %s: %w", name, s.path, errReader)
	}
	s.write.Lock()
	defer s.write.Unlock()
	if s.closed {
		return nil, audit.ErrClosed
	}
	// Two callers may have come here: the first one's value is for both.
	_, err = s.writer.ExecContext(ctx, "INSERT INTO secrets VALUES (?, ?) ON CONFLICT DO NOTHING", name, value)
	if err == nil {
		err = s.writer.QueryRowContext(ctx, find, name).Scan(&value)
	}
	if err != nil {
		return nil, file.Explain(s.path, "writing", err)
	}
	return value, s.Attached()
}

// Close implements audit.Store.
func (s *Store) Close() error {
	s.write.Lock()
	if s.closed {
		s.write.Unlock()
		return audit.ErrClosed
	}
	s.closed = true
	s.write.Unlock()
	if s.merger != nil {
		s.merger.Stop()
	}
	if s.checkpointer != nil {
		s.checkpointer.stop()
	}
	return s.closeAll()
}

// closeAll closes all that is open, the lock at the very end: the next writer may come when nothing
// of this one is left.
func (s *Store) closeAll() error {
	var errs []error
	for _, statement := range []*sql.Stmt{s.insert, s.insertPlain, s.insertTile} {
		if statement != nil {
			errs = append(errs, statement.Close())
		}
	}
	errs = append(errs, s.prepared.close())
	for _, conn := range []*sql.Conn{s.writer, s.merging} {
		if conn != nil {
			errs = append(errs, conn.Close())
		}
	}
	for _, pool := range []*sql.DB{s.mergers, s.writers, s.readers} {
		if pool != nil {
			errs = append(errs, pool.Close())
		}
	}
	if s.file != nil {
		errs = append(errs, s.file.Close())
	}
	if s.lock != nil {
		errs = append(errs, s.lock.Release())
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("closing %s: %w", s.path, err)
	}
	return nil
}
