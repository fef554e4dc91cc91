package postgres_test

import (
	"testing"
	"time"

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
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for waiting := false; !waiting; <-tick.C {
		const asks = "SELECT count(*) > 0 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
		if err := other.QueryRow(t.Context(), asks).Scan(&waiting); err != nil {
			t.Fatal(err)
		}
	}
	if err := first.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := <-migrated; err != nil {
		t.Error(err)
	}
}
