package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/audit/sqlite/internal/file"
)

// Setting implements audit.Store.
func (s *Store) Setting(ctx context.Context, name string) ([]byte, error) {
	var value []byte
	err := s.readers.QueryRowContext(ctx, "SELECT value FROM settings WHERE name = ?", name).Scan(&value)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil, nil
	case err != nil:
		return nil, file.Explain(s.path, "reading", err)
	case value == nil:
		return []byte{}, nil // the driver's empty value is nil, and it was set nevertheless
	}
	return value, nil
}

// SetSetting implements audit.Store.
func (s *Store) SetSetting(ctx context.Context, name string, value []byte) error {
	if s.lock == nil {
		return fmt.Errorf("setting %q of %s: %w", name, s.path, errReader)
	}
	if value == nil {
		value = []byte{}
	}
	s.write.Lock()
	defer s.write.Unlock()
	if s.closed {
		return audit.ErrClosed
	}
	_, err := s.writer.ExecContext(ctx, "INSERT INTO settings VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value", name, value)
	if err != nil {
		return file.Explain(s.path, "writing", err)
	}
	return s.Attached()
}
