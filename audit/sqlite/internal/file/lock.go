package file

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// Lock is the right to write an evidence file: an exclusive transaction, never
// ended, on an empty database beside it. So SQLite's own locks do the work, on
// each system and between processes, they go when the process dies, and readers
// of the evidence file do not notice.
type Lock struct {
	db   *sql.DB
	side string // the path of that database
}

// Acquire takes the right to write the file at path. The error wraps ErrLocked where another has it.
func Acquire(ctx context.Context, path string) (*Lock, error) {
	side := path + ".lock"
	if err := Make(side); err != nil {
		return nil, err
	}
	db, err := OpenPool(side, "_pragma=busy_timeout(0)", 1)
	if err != nil {
		return nil, err
	}
	if _, err := db.ExecContext(ctx, "BEGIN EXCLUSIVE"); err != nil {
		err = errors.Join(err, db.Close())
		var inner *sqlite.Error
		if errors.As(err, &inner) && inner.Code()&0xff == sqlite3.SQLITE_BUSY {
			return nil, fmt.Errorf("opening %s: %w: %s: stop it, or give each gateway a file of its own (%s is locked)",
				path, ErrLocked, holderOf(side), side)
		}
		return nil, Explain(side, "locking", err)
	}
	noteHolder(side, time.Now())
	return &Lock{db: db, side: side}, nil
}

// Release gives the right up.
func (l *Lock) Release() error {
	forgetHolder(l.side)
	if err := l.db.Close(); err != nil {
		return fmt.Errorf("releasing the trail: %w", err)
	}
	return nil
}
