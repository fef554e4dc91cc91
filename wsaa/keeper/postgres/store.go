package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/fielato/fielato/internal/postgres"
	"github.com/fielato/fielato/wsaa/keeper"
)

const (
	// maxConns is enough: a keeper asks a few times in a minute at most.
	maxConns = 2
	// statementTimeout is how long a keeper waits. What it no longer waits for should not happen.
	statementTimeout = 10 * time.Second
)

// Options configure a Store. The zero Options are good.
type Options struct {
	// Migrate creates the table, or changes the table of an older build. Without it a database that
	// needs that is refused.
	Migrate bool
}

// Store is a keeper.Store in PostgreSQL. It is made by Open and safe for concurrent use.
type Store struct{ pool *postgres.Pool }

var _ keeper.Store = (*Store)(nil)

// Open opens the database of a DSN. An error never shows the DSN, which may hold a password.
func Open(ctx context.Context, dsn string, options Options) (*Store, error) {
	pool, err := Migrations.Open(ctx, dsn, postgres.Options{Name: "fielato tickets", MaxConns: maxConns, StatementTimeout: statementTimeout}, options.Migrate)
	if err != nil {
		return nil, err
	}
	return &Store{pool}, nil
}

// Close waits for the calls under way, and ends the connections. Later calls fail.
func (s *Store) Close() error {
	s.pool.Close()
	return nil
}

// The time is that at which a statement begins, also if it then waits for another one: a lease never
// ends later than its holder believes.
const (
	take = `
INSERT INTO wsaa_tickets (name, holder, held_until)
VALUES ($1, $2, now() + $3::INT8 * INTERVAL '1 microsecond')
ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, held_until = excluded.held_until
WHERE wsaa_tickets.holder = excluded.holder OR wsaa_tickets.held_until IS NULL OR wsaa_tickets.held_until <= now()`
	giveBack = "UPDATE wsaa_tickets SET holder = '', held_until = NULL WHERE name = $1 AND holder = $2"
	load     = "SELECT entry FROM wsaa_tickets WHERE name = $1"
	save     = "UPDATE wsaa_tickets SET entry = $3 WHERE name = $1 AND holder = $2 AND held_until > now()"
)

// Take implements keeper.Store.
func (s *Store) Take(ctx context.Context, name, holder string, long time.Duration) (bool, error) {
	rows, err := s.change(ctx, take, name, holder, long.Microseconds())
	if err != nil {
		return false, s.pool.Explain("taking the lease of an access ticket in", err)
	}
	return rows > 0, nil
}

// Return implements keeper.Store.
func (s *Store) Return(ctx context.Context, name, holder string) error {
	_, err := s.change(ctx, giveBack, name, holder)
	return s.pool.Explain("returning the lease of an access ticket in", err)
}

// Lacks returns the rights on the table that the role of the Store needs and does not have, such as
// INSERT.
func (s *Store) Lacks(ctx context.Context) (lacking []string, err error) {
	err = s.pool.Read(ctx, func() error {
		lacking = nil
		for _, right := range []string{"SELECT", "INSERT", "UPDATE"} {
			var granted bool
			if err := s.pool.QueryRow(ctx, "SELECT has_table_privilege('wsaa_tickets', $1)", right).Scan(&granted); err != nil {
				return err
			}
			if !granted {
				lacking = append(lacking, right)
			}
		}
		return nil
	})
	if err != nil {
		return nil, s.pool.Explain("looking at the rights on access tickets in", err)
	}
	return lacking, nil
}

// Save implements keeper.Store.
func (s *Store) Save(ctx context.Context, name, holder string, entry []byte) error {
	rows, err := s.change(ctx, save, name, holder, entry)
	switch {
	case err != nil:
		return s.pool.Explain("saving an access ticket in", err)
	case rows == 0:
		return fmt.Errorf("saving an access ticket in %s: %w", s.pool.Address(), keeper.ErrNotHolder)
	}
	return nil
}

// change runs a statement, and returns how many rows it has changed.
func (s *Store) change(ctx context.Context, statement string, arguments ...any) (rows int64, err error) {
	err = s.pool.Repeat(ctx, func() error {
		tag, err := s.pool.Exec(ctx, statement, arguments...)
		rows = tag.RowsAffected()
		return err
	})
	return rows, err
}

// Load implements keeper.Store.
func (s *Store) Load(ctx context.Context, name string) (entry []byte, err error) {
	err = s.pool.Read(ctx, func() error {
		err := s.pool.QueryRow(ctx, load, name).Scan(&entry)
		if errors.Is(err, pgx.ErrNoRows) {
			entry = nil
			return nil
		}
		return err
	})
	if err != nil {
		return nil, s.pool.Explain("loading an access ticket from", err)
	}
	return entry, nil
}
