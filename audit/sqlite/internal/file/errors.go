package file

import (
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/fielato/fielato/audit"
)

// ErrLocked: another process, or another store of this one, writes the file already.
var ErrLocked = errors.New("another process writes this trail")

// Explain adds to an error of SQLite the file that it is about and, where there
// is one, the cure.
func Explain(path, doing string, err error) error {
	var inner *sqlite.Error
	if !errors.As(err, &inner) {
		return fmt.Errorf("%s %s: %w", doing, path, err)
	}
	var cure string
	switch inner.Code() & 0xff { // without the extended part
	case sqlite3.SQLITE_FULL:
		cure = "the disk is full: free space on it; nothing that was acknowledged is lost"
	case sqlite3.SQLITE_NOTADB:
		cure = "this is not a SQLite database: give the path of a trail; a gateway also takes one where there is no file yet"
	case sqlite3.SQLITE_CORRUPT:
		return fmt.Errorf("%s %s: the file is %w: keep it, and continue with an intact copy or a new path: %w", doing, path, audit.ErrDamaged, err)
	case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM:
		cure = "give the process the right to write the file and its folder"
	case sqlite3.SQLITE_CANTOPEN:
		cure = "look whether the file is there, and whether the process may read and write it, those beside it (-wal, -shm) and its folder"
	case sqlite3.SQLITE_BUSY:
		cure = "another program holds the lock of the database: let it end, and read beside a gateway with readers and backups only"
	case sqlite3.SQLITE_IOERR:
		cure = "the disk or its file system failed: look at the system's log"
	default:
		return fmt.Errorf("%s %s: %w", doing, path, err)
	}
	return fmt.Errorf("%s %s: %s: %w", doing, path, cure, err)
}

// IsForeignKey reports whether a statement named a row that is not there.
func IsForeignKey(err error) bool {
	var inner *sqlite.Error
	return errors.As(err, &inner) && inner.Code() == sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY
}

// Make creates the folder and an empty file that only its owner can read, if they do not exist. Root makes the file
// for the owner of the folder. It never opens a file that does: closing it again would drop the locks that SQLite
// holds on it in this process.
func Make(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("creating the folder for %s: give the process the right to, or another path: %w", path, err)
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	switch {
	case errors.Is(err, fs.ErrExist):
		return Check(path)
	case err != nil:
		return fmt.Errorf("creating %s: give the process the right to write its folder, or another path: %w", path, err)
	}
	giveToOwner(f)
	return f.Close()
}

// Check returns an error if there is no file at path, or something else.
func Check(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return fmt.Errorf("looking at the trail: %w", err)
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s is not a file: give the path of a trail; a gateway also takes one where there is no file yet", path)
	}
	return nil
}

// OpenPool returns a pool of at most so many connections, each with these parameters of the URL.
func OpenPool(path, parameters string, size int) (*sql.DB, error) {
	slashed := filepath.ToSlash(path)
	if slashed[0] != '/' {
		slashed = "/" + slashed // file:/C:/...
	}
	name := (&url.URL{Scheme: "file", Path: slashed, RawQuery: parameters}).String()
	db, err := sql.Open("sqlite", name)
	if err != nil {
		return nil, Explain(path, "opening", err)
	}
	db.SetMaxOpenConns(size)
	db.SetMaxIdleConns(size)
	return db, nil
}
