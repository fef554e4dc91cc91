package sqlite

import (
	"fmt"

	"github.com/fielato/fielato/audit"
)

// Attached implements audit.Attached. It costs a few microseconds, and each commit asks it before
// it is acknowledged.
func (s *Store) Attached() error {
	if s.files == nil {
		return nil // a reader
	}
	return s.lost(s.files.Check())
}

// lost explains an error of the open files.
func (s *Store) lost(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("writing %s: %w: %w: put the folder back, or a backup of it, and start the gateway again", s.path, audit.ErrLost, err)
}
