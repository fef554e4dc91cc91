package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/postgres"
)

// checkKey compares the key that was given with the one that the database knows. It reports
// whether it is the first.
func (s *Store) checkKey(ctx context.Context) (keep bool, err error) {
	known, err := s.value(ctx, "audit_secrets", audit.ContentKeySecret)
	if err != nil {
		return false, err
	}
	return s.vault.Check(string(known), s.pool.Address())
}

// keepContentKey keeps the ID of the first key that the database is opened with.
func (s *Store) keepContentKey(ctx context.Context) error {
	keep, err := s.checkKey(ctx)
	if err != nil || !keep {
		return err
	}
	if _, err = s.Secret(ctx, audit.ContentKeySecret, func() ([]byte, error) { return []byte(s.vault.ID()), nil }); err != nil {
		return err
	}
	_, err = s.checkKey(ctx) // another store may have been first
	return err
}

// value returns what a table of names and values has, nil if it has nothing.
func (s *Store) value(ctx context.Context, table, name string) (value []byte, err error) {
	err = s.pool.Read(ctx, func() error {
		err := s.pool.QueryRow(ctx, "SELECT value FROM "+table+" WHERE name = $1", name).Scan(&value)
		if errors.Is(err, pgx.ErrNoRows) {
			value = nil
			return nil
		}
		return err
	})
	return value, s.pool.Explain("reading", err)
}

// Secret implements audit.Store.
func (s *Store) Secret(ctx context.Context, name string, create func() ([]byte, error)) ([]byte, error) {
	value, err := s.value(ctx, "audit_secrets", name)
	if err != nil || value != nil {
		return value, err
	}
	if value, err = create(); err != nil {
		return nil, fmt.Errorf("making secret %q: %w", name, err)
	}
	if err := s.mayWrite(); err != nil {
		return nil, fmt.Errorf("secret %q: %w", name, err)
	}
	// Two callers may have come here: the first one's value is for both.
	err = s.pool.TransactBatch(ctx, func(b *pgx.Batch) {
		b.Queue("INSERT INTO audit_secrets (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING", name, value)
	})
	if err != nil && !errors.Is(err, postgres.ErrUncertain) {
		return nil, s.pool.Explain("writing", err)
	}
	kept, failed := s.value(ctx, "audit_secrets", name)
	if failed == nil && kept == nil {
		failed = s.pool.Explain("writing", err)
	}
	return kept, failed
}

// Setting implements audit.Store.
func (s *Store) Setting(ctx context.Context, name string) ([]byte, error) {
	return s.value(ctx, "audit_settings", name)
}

// SetSetting implements audit.Store. To set it again is safe, so that an outcome that is
// uncertain is tried again.
func (s *Store) SetSetting(ctx context.Context, name string, value []byte) error {
	if err := s.mayWrite(); err != nil {
		return fmt.Errorf("setting %q: %w", name, err)
	}
	if value == nil {
		value = []byte{}
	}
	set := func() error {
		return s.pool.TransactBatch(ctx, func(b *pgx.Batch) {
			b.Queue("INSERT INTO audit_settings (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value", name, value)
		})
	}
	err := set()
	if errors.Is(err, postgres.ErrUncertain) {
		err = set()
	}
	return s.pool.Explain("writing", err)
}
