package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// Migrations lead a schema from each version to the next: the version is how many of them
// were run. Append only; nothing ever leads back.
type Migrations struct {
	// Component names whose they are, such as audit: a database may hold several.
	Component string
	// Steps are SQL scripts, each run in a transaction of its own together with the mark
	// that it was.
	Steps []string
}

var (
	// ErrBehind: the database has an older schema than this build needs, or none.
	ErrBehind = errors.New("the database needs a migration: run fielato wsfev1 migrate, or write migrate auto")
	// ErrAhead: a newer build has migrated the database.
	ErrAhead = errors.New("the database was migrated by a newer Fielato: upgrade this one")
)

// marks is the table of what was run. Two processes may create it at the same time, and
// take the same step: the row of the component is locked first, and the primary key lets
// only one of them insert it.
const marks = `CREATE TABLE IF NOT EXISTS fielato_migrations (
	component TEXT PRIMARY KEY,
	version   INT8 NOT NULL
)`

// Version returns the version of the schema, 0 if there is none.
func (m *Migrations) Version(ctx context.Context, p *Pool) (version int, err error) {
	err = p.Read(ctx, func() error {
		err := p.QueryRow(ctx, "SELECT version FROM fielato_migrations WHERE component = $1", m.Component).Scan(&version)
		if errors.Is(err, pgx.ErrNoRows) || HasCode(err, undefinedTable) {
			version = 0
			return nil
		}
		return err
	})
	return version, p.Explain("reading the schema's version in", err)
}

// Check returns nil if the schema is the newest, or ErrBehind or ErrAhead.
func (m *Migrations) Check(ctx context.Context, p *Pool) error {
	version, err := m.Version(ctx, p)
	switch {
	case err != nil:
		return err
	case version < len(m.Steps):
		return fmt.Errorf("%s: %s has version %d of %d: %w", p.address, m.Component, version, len(m.Steps), ErrBehind)
	case version > len(m.Steps):
		return fmt.Errorf("%s: %s has version %d, this build knows %d: %w", p.address, m.Component, version, len(m.Steps), ErrAhead)
	}
	return nil
}

// Open opens the database of a DSN, and runs the migrations or only checks the schema.
func (m *Migrations) Open(ctx context.Context, dsn string, options Options, migrate bool) (*Pool, error) {
	pool, err := Open(ctx, dsn, options)
	if err != nil {
		return nil, err
	}
	if migrate {
		_, err = m.Run(ctx, pool)
	} else {
		err = m.Check(ctx, pool)
	}
	if err != nil {
		pool.Close()
		return nil, err
	}
	return pool, nil
}

// Run brings the schema to the newest version and returns the one that it found. Several
// processes may run it at the same time: each step is taken by one of them.
func (m *Migrations) Run(ctx context.Context, p *Pool) (from int, err error) {
	if from, err = m.Version(ctx, p); err != nil {
		return 0, err
	}
	if from > len(m.Steps) {
		return from, m.Check(ctx, p)
	}
	if from == len(m.Steps) {
		return from, nil // without any right to create something
	}
	err = p.again(ctx, func() error {
		_, err := p.Exec(ctx, marks)
		return retryCollision(err)
	})
	if err != nil {
		return from, p.Explain("migrating", err)
	}
	for {
		done, err := m.step(ctx, p)
		if err != nil {
			return from, p.Explain("migrating "+m.Component+" in", err)
		}
		if done {
			return from, m.Check(ctx, p)
		}
	}
}

// step takes the next step, and reports whether there was none.
func (m *Migrations) step(ctx context.Context, p *Pool) (done bool, err error) {
	err = p.Transact(ctx, pgx.TxOptions{}, func(tx pgx.Tx) error {
		done = false
		_, err := tx.Exec(ctx, "INSERT INTO fielato_migrations VALUES ($1, 0) ON CONFLICT (component) DO NOTHING", m.Component)
		if err != nil {
			return err
		}
		var version int
		if err := tx.QueryRow(ctx, "SELECT version FROM fielato_migrations WHERE component = $1 FOR UPDATE", m.Component).Scan(&version); err != nil {
			return err
		}
		if version >= len(m.Steps) {
			done = true
			return nil
		}
		if _, err := tx.Exec(ctx, m.Steps[version]); err != nil {
			return fmt.Errorf("step %d: %w", version+1, err)
		}
		_, err = tx.Exec(ctx, "UPDATE fielato_migrations SET version = $2 WHERE component = $1", m.Component, version+1)
		return err
	})
	if errors.Is(err, ErrUncertain) {
		return false, nil // the next look shows it
	}
	return done, err
}

// The SQLSTATEs that this package looks for.
const (
	undefinedTable  = "42P01"
	duplicateTable  = "42P07"
	uniqueViolation = "23505"
	duplicateObject = "42710"
	readOnly        = "25006"
)

// retryCollision makes an error of two CREATE TABLE IF NOT EXISTS at the same time, which
// PostgreSQL does not keep apart, one that is tried again.
func retryCollision(err error) error {
	if HasCode(err, uniqueViolation) || HasCode(err, duplicateTable) || HasCode(err, duplicateObject) {
		return &pgconn.PgError{Code: "40001", Message: err.Error()}
	}
	return err
}

// HasCode reports whether the server answered with this SQLSTATE.
func HasCode(err error, code string) bool {
	var said *pgconn.PgError
	return errors.As(err, &said) && said.Code == code
}
