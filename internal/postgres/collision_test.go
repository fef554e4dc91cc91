package postgres_test

import (
	"testing"

	"github.com/fielato/fielato/internal/postgres/postgrestest"
)

// TestAMigrationWaitsForTheTableOfAnother, which PostgreSQL calls a violation of a key of its own.
func TestAMigrationWaitsForTheTableOfAnother(t *testing.T) {
	dsn := postgrestest.Shared(t).Database(t)
	pool, other := open(t, dsn), open(t, dsn)
	first, err := other.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := first.Exec(t.Context(), "CREATE TABLE fielato_migrations (component TEXT PRIMARY KEY, version INT8 NOT NULL)"); err != nil {
		t.Fatal(err)
	}
	migrated := make(chan error, 1)
	go func() {
		_, err := twoSteps.Run(t.Context(), pool)
		migrated <- err
	}()
	postgrestest.AwaitLocked(t, dsn)
	if err := first.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := <-migrated; err != nil {
		t.Error(err)
	}
}
