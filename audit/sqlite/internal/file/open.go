package file

import (
	"fmt"
	"os"
)

// Open opens the database file beside SQLite, to sync it. Closing any handle of a
// file drops the POSIX locks that this process has on it: it is closed after SQLite's
// connections, at the very end.
func Open(path string) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_RDWR, 0) // Windows syncs only what may be written
	if err != nil {
		return nil, fmt.Errorf("opening %s: give the process the right to write the file: %w", path, err)
	}
	return file, nil
}
